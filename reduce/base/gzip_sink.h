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

/* Starts compressing into TARGET, which must outlive GZIP. */
void gzip_sink_open(struct gzip_sink *gzip, struct sink *target);

/* Writes what is left to the target and frees the memory. */
void gzip_sink_close(struct gzip_sink *gzip);

#endif
