/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * message_stream.h -- protobuf messages on their way to a file, without
 * malloc: also after a crash.
 *
 * The top-level message is a sequence of fields.  A field that is a message
 * itself is put together in memory (message_begin ... message_end) and then
 * written.  A string gets its number when it is written, so strings are
 * written before the message that refers to them.
 *
 * What fails is kept in `output' (gzip_output.h).
 */
#ifndef MPROF_MESSAGE_STREAM_H
#define MPROF_MESSAGE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "write/gzip_output.h"

enum {
  STREAM_BUFFER = 1 << 16, /* bytes on their way to the file */
  /* Address space for one message: the longest chain and its labels. */
  STREAM_MESSAGE = 1 << 27
};

struct message_stream {
  struct gzip_output output;
  unsigned string_field; /* of strings in the top-level message */
  uint64_t strings;      /* written */
  uint8_t *buffer;       /* STREAM_BUFFER bytes; the owner's */
  size_t used;
  uint8_t *message; /* STREAM_MESSAGE bytes; the owner's */
  size_t length;    /* of the message in hand */
};

/* Fields of the top-level message: a number, bytes, a string (gives back its
 * number), a message of two numbers. */
void message_put_number(struct message_stream *s, unsigned field, uint64_t v);
void message_put_bytes(struct message_stream *s, unsigned field,
                       const void *bytes, size_t n);
uint64_t message_put_string(struct message_stream *s, const char *text);
void message_put_pair(struct message_stream *s, unsigned field,
                      uint64_t first, uint64_t second);

/* Begin a message; add a bare number, characters, or a field with a number
 * (zero: none); write the message as a field. */
void message_begin(struct message_stream *s);
void message_add(struct message_stream *s, uint64_t v);
void message_add_text(struct message_stream *s, const char *text);
void message_add_field(struct message_stream *s, unsigned field, uint64_t v);
void message_end(struct message_stream *s, unsigned field);

/* What was added since the message was `start' bytes long is a field of it.
 */
void message_close_nested(struct message_stream *s, unsigned field,
                          size_t start);

/* Write what waits; nothing comes after it. */
void message_stream_end(struct message_stream *s);

#endif
