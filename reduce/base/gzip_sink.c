/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compresses what is written to one sink, by zlib, into another; see
 * gzip_sink.h. */

#include "base/gzip_sink.h"

#include "base/pool.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 4096, GZIP_WINDOW = 15 + 16 };

/* Compresses LENGTH bytes, and with FLUSH Z_FINISH ends the member. */
static int
compress_bytes(struct gzip_sink *gzip, const char *bytes, size_t length,
               int flush)
{
  unsigned char piece[PIECE_BYTES];
  z_stream *stream = &gzip->stream;
  stream->next_in = (unsigned char *)(uintptr_t)bytes;
  stream->avail_in = (uInt)length;
  do {
    stream->next_out = piece;
    stream->avail_out = sizeof piece;
    if (deflate(stream, flush) == Z_STREAM_ERROR)
      return EIO;
    sink_bytes(gzip->target, (const char *)piece,
               sizeof piece - stream->avail_out);
  } while (stream->avail_out == 0);
  return gzip->target->error_number;
}

static int
write_compressed(void *target, const char *bytes, size_t length)
{
  return compress_bytes(target, bytes, length, Z_NO_FLUSH);
}

static void
end(void *what)
{
  struct gzip_sink *gzip = what;
  deflateEnd(&gzip->stream);
}

struct gzip_sink *
gzip_sink_open(struct sink *target, const char *comment)
{
  enum { UNIX = 3 };
  struct gzip_sink *gzip = pool_alloc(sizeof *gzip);
  gzip->stream = (z_stream){0};
  gzip->header =
      (gz_header){.comment = (Bytef *)(uintptr_t)comment, .os = UNIX};
  gzip->target = target;
  sink_init(&gzip->sink, write_compressed, gzip);
  if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    fail_memory();
  pool_on_release(end, gzip);
  deflateSetHeader(&gzip->stream, &gzip->header);
  return gzip;
}

void
gzip_sink_close(struct gzip_sink *gzip)
{
  if (sink_flush(&gzip->sink))
    sink_fail(&gzip->sink, compress_bytes(gzip, "", 0, Z_FINISH));
  pool_release_now(gzip);
  sink_fail(gzip->target, gzip->sink.error_number);
  pool_free(gzip);
}

bool
gzip_comment(const char *path, char *comment, size_t size)
{
  enum { FLAGS = 3, HAS_COMMENT = 16, HEADER_BYTES = 10 };
  unsigned char header[HEADER_BYTES];
  FILE *file = fopen(path, "re");
  bool good = file != NULL &&
              fread(header, 1, sizeof header, file) == sizeof header &&
              header[0] == 0x1f && header[1] == 0x8b &&
              header[FLAGS] == HAS_COMMENT;
  size_t length = good ? fread(comment, 1, size, file) : 0;
  if (file != NULL)
    fclose(file);
  return good && memchr(comment, '\0', length) != NULL;
}
