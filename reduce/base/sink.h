/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where output goes, with one sticky error path.
 *
 * A sink buffers text and hands it to a write function.  After the first
 * failure it swallows everything; the producer of text never checks, the
 * owner asks once at the end.  A sink belongs to one thread.
 *
 * A sink also says how its text should look: whoever made it knows whether a
 * person reads along on a terminal.  Until told otherwise lines may have any
 * length and there are no colours.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifndef SINK_BUFFER_BYTES /* a test build makes this tiny */
#define SINK_BUFFER_BYTES 4096
#endif

/* Writes all LENGTH bytes; returns zero or an errno value. */
typedef int sink_write(void *target, const char *bytes, size_t length);

struct sink {
  sink_write *write;
  void *target;      /* passed to write; not owned */
  int error_number;  /* errno of the first failure, zero while none */
  size_t line_width; /* characters that lines of tables fit into; 0: any */
  bool color;        /* whether sink_style writes anything */
  bool is_terminal;
  size_t used; /* bytes waiting in buffer */
  char buffer[SINK_BUFFER_BYTES];
};

/* Makes SINK an empty one that hands text to WRITE with TARGET. */
void sink_init(struct sink *sink, sink_write *write, void *target);

/* Append LENGTH bytes, a string, COUNT times one character, or formatted text
 * to SINK.  Text of 256 bytes and more takes memory of the pool in use. */
void sink_bytes(struct sink *sink, const char *bytes, size_t length);
void sink_text(struct sink *sink, const char *text);
void sink_repeat(struct sink *sink, char character, size_t count);
void sink_format(struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How text looks, on a sink with colours. */
enum text_style {
  STYLE_PLAIN,
  STYLE_STRONG, /* headings */
  STYLE_HEAVY   /* what one should look at first */
};

/* Lets the text that follows have STYLE. */
void sink_style(struct sink *sink, enum text_style style);

/* Makes SINK fail with ERROR_NUMBER unless it has failed already. */
void sink_fail(struct sink *sink, int error_number);

/* Writes out what waits.  Returns true while SINK has never failed. */
bool sink_flush(struct sink *sink);

/* Writes to the file descriptor that TARGET, a pointer to int, points to: a
 * sink_write.  Beyond RLIMIT_FSIZE it returns EFBIG, and no SIGXFSZ comes. */
int sink_write_descriptor(void *target, const char *bytes, size_t length);

/* A string that is written as text is. */
struct string_sink {
  struct sink sink;        /* write here */
  char *text;              /* what has left the sink, and a zero */
  size_t length, capacity; /* bytes: of text without the zero, allocated */
};

/* Makes STRING empty; its text is in the pool in use. */
void string_sink_init(struct string_sink *string);

/* Flushes the sink and returns all that was written since the last clear, ""
 * for nothing; valid until more is written. */
const char *string_sink_text(struct string_sink *string);

/* Makes STRING empty again, and keeps its memory. */
void string_sink_clear(struct string_sink *string);

/* ---- files, and compression ---- */

/* Opens PATH for writing, completely or not at all.
 *
 * Text goes to a temporary file beside the target, which is renamed over the
 * target at the end: a failure leaves the old file as it was and nothing
 * else behind.  What is no regular file (a device, a pipe) is written as it
 * is, since it must not be replaced.
 *
 * Returns a sink in the pool in use; PATH must outlive it.  Unless
 * output_file_close completes it, what was written is dropped with the pool.
 * With SYNC output_file_close waits until a regular file is on disk.  Both
 * fail with MPROF_CANNOT_WRITE, the second also if the sink has failed. */
struct sink *output_file_open(const char *path);
void output_file_close(struct sink *sink, bool sync);

/* Starts compressing into TARGET.  ISA-L at its level 1 takes a ninth of the
 * time of zlib at its own, and 77 MB become 5.2 in place of 5.9 MB.
 *
 * Returns a sink, in the pool in use.  What is written to it reaches TARGET
 * as one gzip member, without a name or a date, so that equal content gives
 * equal bytes on processors of one kind; gzip_sink_close ends that and frees
 * the sink, but does not flush TARGET.  COMMENT stands in the header, and says
 * what the file is without inflating it; NULL: there is none.  A failure of
 * either sink is one of TARGET.  TARGET must outlive the result. */
struct sink *gzip_sink_open(struct sink *target, const char *comment);
void gzip_sink_close(struct sink *sink);
