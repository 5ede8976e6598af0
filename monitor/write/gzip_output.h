/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gzip_output.h -- bytes on their way to a file, compressed by zlib, without
 * malloc: also after a crash.
 *
 * In the monitor of C programs zlib is in the monitor itself (libz.a), under
 * names that no program sees.  Its memory is the kernel's.  A file that is
 * complete before there is much of it can be written as it is: shells have
 * hundreds of children that allocate little, and a million instructions,
 * which is what 12 KB cost, are half as many as such a child has in all.
 *
 * What fails is kept in the file (atomic_file.h).
 */
#ifndef MPROF_GZIP_OUTPUT_H
#define MPROF_GZIP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "tree/arena.h"
#include "write/atomic_file.h"

enum {
#ifdef MPROF_TINY
  GZIP_SMALLEST = 1,
#else
  GZIP_SMALLEST = 1 << 14, /* bytes of a file that is worth compressing */
#endif
};

struct gzip_output {    /* all zero but for the first three */
  struct atomic_file *file;
  bool always;          /* compress also what is smaller than GZIP_SMALLEST */
  bool fast;            /* there will be much: compress it less */
  bool compresses;      /* `deflate' has begun */
  z_stream deflate;
  struct arena arena;   /* of struct gzip_memory */
  size_t used, taken;   /* bytes of its `waiting' and its `zlib' */
};

/* Reserve the memory. */
void gzip_output_open(struct gzip_output *g);

void gzip_output_put(struct gzip_output *g, const void *bytes, size_t n);

/* Write what is left, and give the memory back. */
void gzip_output_close(struct gzip_output *g);

#endif
