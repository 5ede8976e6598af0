/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gzip_output.h -- bytes on their way to a file, compressed by zlib, without
 * malloc: also after a crash.
 *
 * zlib is in the monitor itself (libz.a), under names that no program sees,
 * and takes its memory from what the owner reserved.  A file that is complete
 * before there is much of it is written as it is: shells have hundreds of
 * children that allocate little, and a million instructions, which is what
 * 12 KB cost, are half as many as such a child has in all.
 *
 * One error path: the first failure is kept in `failed', and what comes after
 * it is swallowed.
 */
#ifndef MPROF_GZIP_OUTPUT_H
#define MPROF_GZIP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum {
#ifdef MPROF_TINY
  GZIP_SMALLEST = 1,
#else
  GZIP_SMALLEST = 1 << 14, /* bytes of a file that is compressed */
#endif
  GZIP_MEMORY = 1 << 19 /* address space: zlib touches 270 KB of it */
};

struct gzip_output { /* all zero but for `file', `memory' and `fast' */
  int file;
  bool fast;       /* there will be much: compress it less */
  int failed;      /* errno of the first failure */
  uint8_t *memory; /* GZIP_MEMORY bytes, zero; the owner's */
  size_t taken;    /* of these */
  bool compresses; /* `deflate' has begun */
  z_stream deflate;
};

/* Write `n' bytes, the last ones if `last' says so. */
void gzip_output_put(struct gzip_output *g, uint8_t *bytes, size_t n,
                     bool last);

#endif
