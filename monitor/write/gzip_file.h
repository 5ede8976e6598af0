/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gzip_file.h -- a compressed file that is complete or not there.
 *
 * It is written under another name, brought to disk, and renamed.  Whatever
 * fails, what was written is removed, and the earlier file stays as it was.
 * What is no regular file (a device, a pipe) is written as it is, since it
 * must not be replaced.
 *
 * In the monitor of C programs zlib is in the monitor itself (libz.a), under
 * names that no program sees.  Its memory is the kernel's.  A file that is
 * complete before there is much of it can be written as it is: shells have
 * hundreds of children that allocate little, and a million instructions,
 * which is what 12 KB cost, are half as many as such a child has in all.
 *
 * Or it is kept in memory, for a reader in this process; then there is no
 * file at all.  What is read at once is best not compressed, which takes half
 * of the time.
 *
 * One error path: the first failure is kept in `failed', and what comes after
 * it does nothing.  No malloc: also after a crash.
 */
#ifndef MPROF_GZIP_FILE_H
#define MPROF_GZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "tree/arena.h"

struct gzip_file {     /* all zero but for the first four: not open */
  /* What gives it its name; NULL: rename. */
  int (*rename)(const char *from, const char *to);
  bool always;           /* compress it even if it is small */
  bool plain;            /* do not compress it at all */
  bool compresses;       /* `deflate' has begun */
  int failed;            /* errno of the first failure, or 0 */
  int descriptor;        /* negative: none */
  const char *path;      /* the caller's; see gzip_file_open */
  const char *temporary; /* the caller's; NULL: the file itself is written */
  bool in_memory;        /* it goes to `contents', which the caller takes */
  struct arena contents;
  size_t length;         /* of what is in it */
  z_stream deflate;
  struct arena arena;    /* of struct gzip_memory */
  size_t used, taken;    /* bytes of its `waiting' and its `zlib' */
};

/* Write what is to become `path' to `temporary', on the same file system.  A
 * `path' of NULL is for a `rename' of the caller's own, which finds a name
 * that no file has: nothing is replaced, and so nothing is lost if the
 * computer goes off before the file is on disk, for which nobody waits then.
 */
void gzip_file_open(struct gzip_file *file, const char *path,
                    const char *temporary);

/* Keep it in memory.  When gzip_file_close has been called and `failed' is 0,
 * the caller owns `contents'; otherwise there are none. */
void gzip_file_open_in_memory(struct gzip_file *file);

void gzip_file_put(struct gzip_file *file, const void *bytes, size_t n);

/* Something else failed; `error' is an errno value. */
void gzip_file_fail(struct gzip_file *file, int error);

/* Complete the file, or remove it if anything has failed. */
void gzip_file_close(struct gzip_file *file);

#endif
