/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sink whose write function deflates; what comes out of that is cut into
 * threes of bytes, four characters each. */

#include "export/packed_text.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Writes the COUNT (1 to 3) bytes that wait. */
static void
write_rest(struct packed_text *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = text->rest;
  char four[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                  digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
  memset(four + 1 + text->rest_count, '=', 3 - text->rest_count);
  sink_bytes(text->target, four, sizeof four);
  memset(text->rest, 0, sizeof text->rest);
  text->rest_count = 0;
}

static void
write_base64(struct packed_text *text, const unsigned char *bytes,
             size_t length)
{
  for (size_t i = 0; i < length; i++) {
    text->rest[text->rest_count++] = bytes[i];
    if (text->rest_count == sizeof text->rest)
      write_rest(text);
  }
}

/* Compresses the input of the stream; with Z_FINISH, to the end. */
static void
compress_input(struct packed_text *text, int flush)
{
  unsigned char room[4096];
  int outcome;
  do {
    text->stream.next_out = room;
    text->stream.avail_out = sizeof room;
    outcome = deflate(&text->stream, flush);
    write_base64(text, room, sizeof room - text->stream.avail_out);
  } while (outcome == Z_OK && text->stream.avail_out == 0);
  if (outcome == Z_STREAM_ERROR)
    sink_fail(text->target, ENOMEM);
}

static int
write_packed(void *target, const char *bytes, size_t length)
{
  struct packed_text *text = target;
  text->stream.next_in = (Bytef *)(uintptr_t)bytes;
  text->stream.avail_in = (uInt)length;
  compress_input(text, Z_NO_FLUSH);
  return text->target->error_number;
}

void
packed_text_begin(struct packed_text *text, struct sink *target)
{
  text->target = target;
  memset(&text->stream, 0, sizeof text->stream);
  memset(text->rest, 0, sizeof text->rest);
  text->rest_count = 0;
  sink_init(&text->sink, write_packed, text);
  if (deflateInit(&text->stream, Z_DEFAULT_COMPRESSION) != Z_OK) {
    sink_fail(target, ENOMEM);
    sink_fail(&text->sink, ENOMEM);
  }
}

void
packed_text_end(struct packed_text *text)
{
  if (sink_flush(&text->sink)) {
    text->stream.next_in = NULL;
    text->stream.avail_in = 0;
    compress_input(text, Z_FINISH);
    if (text->rest_count > 0)
      write_rest(text);
  } else {
    sink_fail(text->target, text->sink.error_number);
  }
  deflateEnd(&text->stream);
}
