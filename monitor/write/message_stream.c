/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * message_stream.c -- see message_stream.h.
 */
#include "write/message_stream.h"

#include <string.h>

enum { VARINT_BYTES = 10 };

static void
put_bytes(struct message_stream *s, const void *bytes, size_t n)
{
  const uint8_t *from = bytes;
  while (n > 0) {
    size_t some = STREAM_BUFFER - s->used < n ? STREAM_BUFFER - s->used : n;
    memcpy(s->buffer + s->used, from, some);
    s->used += some;
    from += some;
    n -= some;
    if (s->used == STREAM_BUFFER) {
      gzip_output_put(&s->output, s->buffer, s->used, false);
      s->used = 0;
    }
  }
}

void
message_stream_end(struct message_stream *s)
{
  gzip_output_put(&s->output, s->buffer, s->used, true);
  s->used = 0;
}

static size_t
varint(uint8_t *at, uint64_t v)
{
  size_t n = 0;
  for (; v > 0x7F; v >>= 7)
    at[n++] = (uint8_t)(v | 0x80);
  at[n++] = (uint8_t)v;
  return n;
}

void
message_put_number(struct message_stream *s, unsigned field, uint64_t v)
{
  uint8_t bytes[2 * VARINT_BYTES];
  size_t n = varint(bytes, field << 3);
  put_bytes(s, bytes, n + varint(bytes + n, v));
}

void
message_put_bytes(struct message_stream *s, unsigned field, const void *bytes,
                  size_t n)
{
  uint8_t head[2 * VARINT_BYTES];
  size_t length = varint(head, field << 3 | 2);
  length += varint(head + length, n);
  put_bytes(s, head, length);
  put_bytes(s, bytes, n);
}

/* Write a string; gives back its number. */
uint64_t
message_put_string(struct message_stream *s, const char *text)
{
  message_put_bytes(s, s->string_field, text, strlen(text));
  return s->strings++;
}

void
message_begin(struct message_stream *s)
{
  s->length = 0;
}

void
message_add(struct message_stream *s, uint64_t v)
{
  if (s->length + VARINT_BYTES <= STREAM_MESSAGE)
    s->length += varint(s->message + s->length, v);
}

void
message_add_text(struct message_stream *s, const char *text)
{
  const size_t n = strlen(text);
  if (s->length + n <= STREAM_MESSAGE) {
    memcpy(s->message + s->length, text, n);
    s->length += n;
  }
}

void
message_add_field(struct message_stream *s, unsigned field, uint64_t v)
{
  if (v != 0) {
    message_add(s, field << 3);
    message_add(s, v);
  }
}

void
message_end(struct message_stream *s, unsigned field)
{
  message_put_bytes(s, field, s->message, s->length);
}

/* A message of two numbers, such as a ValueType. */
void
message_put_pair(struct message_stream *s, unsigned field, uint64_t first,
                 uint64_t second)
{
  message_begin(s);
  message_add_field(s, 1, first);
  message_add_field(s, 2, second);
  message_end(s, field);
}

/* A nested message that stands at the end of the one in hand: `start' is
 * where its content begins.  Moves that up to make room for the head. */
void
message_close_nested(struct message_stream *s, unsigned field, size_t start)
{
  uint8_t head[2 * VARINT_BYTES];
  const size_t content = s->length - start;
  size_t n = varint(head, field << 3 | 2);
  n += varint(head + n, content);
  if (s->length + n > STREAM_MESSAGE)
    return;
  memmove(s->message + start + n, s->message + start, content);
  memcpy(s->message + start, head, n);
  s->length += n;
}
