/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * atomic_file.c -- see atomic_file.h.
 */
#include "write/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void
atomic_file_fail(struct atomic_file *f, int error)
{
  if (f->failed == 0)
    f->failed = error;
}

void
atomic_file_open(struct atomic_file *f, const char *path,
                 const char *temporary)
{
  struct stat there;
  const bool in_place =
      path != NULL && stat(path, &there) == 0 && !S_ISREG(there.st_mode);
  if (f->rename == NULL)
    f->rename = rename;
  f->path = path;
  f->descriptor = -1;
  if (f->failed != 0)
    return;
  f->descriptor =
      in_place ? open(path, O_WRONLY | O_CLOEXEC)
               : open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                      0666);
  if (f->descriptor < 0)
    atomic_file_fail(f, errno);
  else if (!in_place)
    f->temporary = temporary;
}

void
atomic_file_write(struct atomic_file *f, const void *bytes, size_t n)
{
  const uint8_t *at = bytes;
  while (n > 0 && f->failed == 0) {
    const ssize_t written = write(f->descriptor, at, n);
    if (written > 0) {
      at += written;
      n -= (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      atomic_file_fail(f, written == 0 ? EIO : errno);
    }
  }
}

/* Bring it to disk, where the file system can do that. */
static void
sync_file(struct atomic_file *f)
{
  while (fsync(f->descriptor) != 0)
    if (errno != EINTR) {
      if (errno != EINVAL && errno != EROFS)
        atomic_file_fail(f, errno);
      return;
    }
}

void
atomic_file_close(struct atomic_file *f)
{
  if (f->failed == 0 && f->temporary != NULL && f->path != NULL)
    sync_file(f);
  if (f->descriptor >= 0 && close(f->descriptor) != 0)
    atomic_file_fail(f, errno);
  if (f->temporary == NULL)
    return;
  if (f->failed == 0 && f->rename(f->temporary, f->path) != 0)
    atomic_file_fail(f, errno);
  if (f->failed != 0)
    unlink(f->temporary);
}
