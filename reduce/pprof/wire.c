/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The wire format is in pprof_format.h. */

#include "pprof/wire.h"

#include "common/pprof_format.h"

#include <string.h>

enum { VARINT_BYTES = 10 };

/* Appends NUMBER, for which there is room. */
static void
put_varint(struct wire_buffer *buffer, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    buffer->bytes[buffer->count++] = (uint8_t)(number | 0x80);
  buffer->bytes[buffer->count++] = (uint8_t)number;
}

/* Appends the tag of FIELD and NUMBER, its value or how many bytes it has,
 * for MORE of which it makes room. */
static void
put_tag(struct wire_buffer *buffer, uint32_t field, unsigned type,
        uint64_t number, size_t more)
{
  ARRAY_ROOM(buffer->bytes, buffer->capacity,
             buffer->count + 2 * VARINT_BYTES + more);
  put_varint(buffer, (uint64_t)field << 3 | type);
  put_varint(buffer, number);
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

void
wire_put_packed(struct wire_buffer *buffer, uint32_t field,
                const uint64_t *numbers, size_t count)
{
  size_t length = 0;
  if (count == 0)
    return;
  for (size_t i = 0; i < count; i++) /* seven bits a byte, rounded up */
    length += (size_t)(70 - __builtin_clzll(numbers[i] | 1)) / 7;
  put_tag(buffer, field, PPROF_WIRE_BYTES, length, length);
  for (size_t i = 0; i < count; i++)
    put_varint(buffer, numbers[i]);
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
