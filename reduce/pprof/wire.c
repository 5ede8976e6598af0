/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes fields and messages of protobuf; pprof_format.h has the wire format.
 */

#include "pprof/wire.h"

#include "common/pprof_format.h"

#include <string.h>

enum { VARINT_BYTES = 10 };

/* Writes NUMBER to TO, where there is room; returns where that ends. */
static uint8_t *
put_varint(uint8_t *to, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *to++ = (uint8_t)(number | 0x80);
  *to++ = (uint8_t)number;
  return to;
}

/* Appends the tag of FIELD and NUMBER, its value or how many bytes it has,
 * for MORE of which it makes room. */
static void
put_tag(struct wire_buffer *buffer, uint32_t field, unsigned type,
        uint64_t number, size_t more)
{
  ARRAY_ROOM(buffer->bytes, buffer->capacity,
             buffer->count + 2 * VARINT_BYTES + more);
  uint8_t *to = buffer->bytes + buffer->count;
  to = put_varint(to, (uint64_t)field << 3 | type);
  buffer->count = (size_t)(put_varint(to, number) - buffer->bytes);
}

void
wire_put_number(struct wire_buffer *buffer, uint32_t field, uint64_t number)
{
  if (number != 0)
    put_tag(buffer, field, PPROF_WIRE_VARINT, number, 0);
}

void
wire_put_fields(struct wire_buffer *buffer, uint32_t first,
                const uint64_t *numbers, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    wire_put_number(buffer, first + i, numbers[i]);
}

void
wire_put_bytes(struct wire_buffer *buffer, uint32_t field, const void *bytes,
               size_t count)
{
  put_tag(buffer, field, PPROF_WIRE_BYTES, count, count);
  if (count > 0)
    memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

/* Writes the numbers behind where a tag can end, and moves them to that. */
void
wire_put_packed(struct wire_buffer *buffer, uint32_t field,
                const uint64_t *numbers, size_t count)
{
  if (count == 0)
    return;
  ARRAY_ROOM(buffer->bytes, buffer->capacity,
             buffer->count + (2 + count) * VARINT_BYTES);
  uint8_t *const from = buffer->bytes + buffer->count + 2 * VARINT_BYTES;
  uint8_t *to = from;
  for (size_t i = 0; i < count; i++)
    to = put_varint(to, numbers[i]);
  put_tag(buffer, field, PPROF_WIRE_BYTES, (uint64_t)(to - from), 0);
  memmove(buffer->bytes + buffer->count, from, (size_t)(to - from));
  buffer->count += (size_t)(to - from);
}

void
wire_put_message(struct wire_buffer *buffer, uint32_t field,
                 struct wire_buffer *message)
{
  wire_put_bytes(buffer, field, message->bytes, message->count);
  message->count = 0;
}

void
wire_send(struct wire_buffer *buffer, struct sink *sink)
{
  sink_bytes(sink, (const char *)buffer->bytes, buffer->count);
  buffer->count = 0;
}
