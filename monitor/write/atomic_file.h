/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * atomic_file.h -- a file that is complete or not there.
 *
 * It is written under another name, brought to disk, and renamed.  Whatever
 * fails, what was written is removed, and the earlier file stays as it was.
 * What is no regular file (a device, a pipe) is written as it is, since it
 * must not be replaced.
 *
 * One error path: the first failure is kept in `failed', and what comes after
 * it does nothing.  No malloc: also after a crash.
 */
#ifndef MPROF_ATOMIC_FILE_H
#define MPROF_ATOMIC_FILE_H

#include <stddef.h>

struct atomic_file {     /* all zero: not open */
  int failed;            /* errno of the first failure, or 0 */
  int descriptor;        /* negative: none */
  const char *path;      /* the caller's; see atomic_file_open */
  const char *temporary; /* the caller's; NULL: the file itself is written */
  /* What gives it its name; NULL: rename.  Set before it is opened. */
  int (*rename)(const char *from, const char *to);
};

/* Write what is to become `path' to `temporary', on the same file system.  A
 * `path' of NULL is for a `rename' of the caller's own, which finds a name
 * that no file has: nothing is replaced, and so nothing is lost if the
 * computer goes off before the file is on disk, for which nobody waits then.
 */
void atomic_file_open(struct atomic_file *file, const char *path,
                      const char *temporary);

void atomic_file_write(struct atomic_file *file, const void *bytes, size_t n);

/* Something else failed; `error' is an errno value. */
void atomic_file_fail(struct atomic_file *file, int error);

/* Complete the file, or remove it if anything has failed. */
void atomic_file_close(struct atomic_file *file);

#endif
