/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sink that compresses: what is written to it reaches another sink as one
 * gzip member, without a name or a date, so that equal content gives equal
 * bytes.  A failure of either is a failure of the other sink, which its owner
 * asks about as ever.
 */

#ifndef MPROF_GZIP_SINK_H
#define MPROF_GZIP_SINK_H

#include "base/sink.h"

#include <zlib.h>

struct gzip_sink {
  struct sink sink;    /* write here */
  struct sink *target; /* not owned */
  z_stream stream;
  bool open; /* the stream has memory */
};

/* How hard zlib tries: GZIP_FILE takes half the time of its default, and
 * leaves 5 % more; GZIP_FAST is for what somebody waits for. */
enum gzip_level { GZIP_FAST = 1, GZIP_FILE = 4 };

/* Starts compressing into TARGET, which must outlive GZIP. */
void gzip_sink_open(struct gzip_sink *gzip, struct sink *target,
                    enum gzip_level level);

/* Writes what is left to the target and frees the memory. */
void gzip_sink_close(struct gzip_sink *gzip);

#endif
