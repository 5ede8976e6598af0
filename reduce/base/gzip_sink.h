/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sink that compresses: what is written to it reaches another sink as one
 * gzip member, without a name or a date, so that equal content gives equal
 * bytes.  Its header may have a comment, which tells what the file is without
 * anything being unpacked.  A failure of either is a failure of the other
 * sink, which its owner asks about as ever.
 */

#pragma once

#include "base/sink.h"

#include <zlib.h>

struct gzip_sink {
  struct sink sink;    /* write here */
  struct sink *target; /* not owned */
  z_stream stream;
  gz_header header;
};

/* Starts compressing into TARGET, as fast as zlib can: files are 8 to 13 %
 * larger than at its level 4, which takes twice as long.  COMMENT stands in
 * the header; NULL: none does.  Both must outlive the result, which is in the
 * pool in use. */
struct gzip_sink *gzip_sink_open(struct sink *target, const char *comment);

/* Writes what is left to the target. */
void gzip_sink_close(struct gzip_sink *gzip);

/* COMMENT, of SIZE bytes, gets that of the file PATH, written so.  False: it
 * has none, or it does not fit. */
bool gzip_comment(const char *path, char *comment, size_t size);
