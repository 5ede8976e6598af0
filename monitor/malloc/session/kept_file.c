/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_file.c -- see kept_file.h.
 */
#include "malloc/session/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER = 1016 }; /* of the descriptor: select knows 1024 */

static int
move_out_of_sight(int file)
{
  struct rlimit limit = { .rlim_cur = 0 };
  int moved;
  getrlimit(RLIMIT_NOFILE, &limit);
  moved = fcntl(file, F_DUPFD_CLOEXEC,
                limit.rlim_cur > NUMBER ? NUMBER : (int)limit.rlim_cur - 1);
  if (moved < 0)
    return file;
  close(file);
  return moved;
}

void
kept_file_take(struct kept_file *kept, int descriptor)
{
  struct stat there;
  *kept = (struct kept_file){ .descriptor = -1 };
  flock(descriptor, LOCK_SH | LOCK_NB);
  if (fstat(descriptor, &there) == 0)
    *kept = (struct kept_file){ move_out_of_sight(descriptor), there.st_dev,
                                there.st_ino };
}

/* Its length is *length then. */
static bool
find_length(const struct kept_file *kept, size_t *length)
{
  struct stat there;
  if (kept->descriptor < 0 || fstat(kept->descriptor, &there) != 0 ||
      there.st_dev != kept->device || there.st_ino != kept->inode ||
      there.st_nlink == 0)
    return false;
  *length = (size_t)there.st_size;
  return true;
}

bool
kept_file_is_there(const struct kept_file *kept)
{
  size_t length;
  return find_length(kept, &length);
}

/* Gives back 0, or an errno value; how many bytes were written is *done. */
static int
write_at(int file, const char *bytes, size_t n, size_t at, size_t *done)
{
  *done = 0;
  while (*done < n) {
    const ssize_t written =
        pwrite(file, bytes + *done, n - *done, (off_t)(at + *done));
    if (written > 0)
      *done += (size_t)written;
    else if (written == 0 || errno != EINTR)
      return written == 0 ? EIO : errno;
  }
  return 0;
}

static int
cut(int file, size_t length)
{
  return ftruncate(file, (off_t)length) == 0 ? 0 : errno;
}

/* What is longer than before comes first, as that is what may find no room.
 * Where it is shorter, it must be possible to cut it. */
int
kept_file_replace(const struct kept_file *kept, const char *bytes, size_t n)
{
  const int file = kept->descriptor;
  size_t old, common, done;
  int status;
  if (!find_length(kept, &old))
    return EPERM;
  common = n < old ? n : old;
  if (n < old)
    status = cut(file, old);
  else
    status = write_at(file, bytes + common, n - common, common, &done);
  if (status != 0) {
    cut(file, old);
    return status;
  }
  status = write_at(file, bytes, common, 0, &done);
  if (status == 0 && n < old)
    status = cut(file, n);
  if (status != 0 && done > 0)
    cut(file, 0); /* half of one is none */
  return status;
}

void
kept_file_try(const struct kept_file *kept)
{
  size_t length;
  if (find_length(kept, &length) && pwrite(kept->descriptor, "", 0, 0) == 0)
    cut(kept->descriptor, length);
}

void
kept_file_close(struct kept_file *kept)
{
  if (kept_file_is_there(kept))
    close(kept->descriptor);
  kept->descriptor = -1;
}
