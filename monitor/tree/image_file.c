/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_file.c -- see image_file.h.
 */
#include "tree/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/image_format.h"
#include "tree/new_file.h"

struct image_file image_file;

int
image_file_open(void)
{
  struct stat status;
  const int file =
      open(image_file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file >= 0 &&
      (fstat(file, &status) != 0 || status.st_dev != image_file.device ||
       status.st_ino != image_file.inode)) {
    close(file);
    return -1;
  }
  return file;
}

/* A file that is longer than this process may make one is a signal. */
int
image_file_allocate(int file, uint64_t bytes)
{
  struct rlimit limit;
  int error;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY && image_file.end + bytes > limit.rlim_cur)
    return EFBIG;
  do
    error = posix_fallocate(file, (off_t)image_file.end, (off_t)bytes);
  while (error == EINTR);
  return error;
}

bool
image_file_write(int file, const void *bytes, size_t n, uint64_t offset)
{
  const char *from = bytes;
  while (n > 0) {
    const ssize_t written = pwrite(file, from, n, (off_t)offset);
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0) {
      from += written;
      n -= (size_t)written;
      offset += (uint64_t)written;
    }
  }
  return true;
}

/* Another process has left an image there, or this one before exec: add its
 * number to the name, and another one if that is taken; what is saved is
 * removed.  False with EEXIST when it is something else. */
static bool
move_old(void)
{
  enum { MOST = 10000 };
  char name[PATH_MAX + 32];
  struct image_head head = {.version = 0};
  int n;
  const int file =
      open(image_file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return errno == ENOENT;
  const ssize_t got = pread(file, &head, sizeof head, 0);
  close(file);
  errno = EEXIST;
  if (got != sizeof head ||
      memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) != 0)
    return false;
  if ((head.flags & IMAGE_SAVED) != 0 && head.process == (uint32_t)getpid())
    return unlink(image_file.path) == 0;
  n = snprintf(name, sizeof name, "%s.%u", image_file.path, head.process);
  for (int i = 2; access(name, F_OK) == 0 && i < MOST; i++)
    snprintf(name + n, sizeof name - (size_t)n, ".%d", i);
  return rename(image_file.path, name) == 0;
}

/* An absolute path, since the program may change its folder. */
static int
set_path(const char *path)
{
  char folder[PATH_MAX] = "";
  int n;
  if (path[0] != '/' && getcwd(folder, sizeof folder - 1) == NULL)
    return errno;
  n = snprintf(image_file.path, sizeof image_file.path, "%s%s%s", folder,
               folder[0] == '\0' ? "" : "/", path);
  return n < (int)sizeof image_file.path ? 0 : ENAMETOOLONG;
}

int
image_file_make(const char *path)
{
  struct stat status;
  int file;
  errno = set_path(path);
  if (errno != 0 || !move_old())
    return -1;
  file = new_file_open(image_file.path);
  if (file >= 0 && fstat(file, &status) == 0) {
    image_file.device = status.st_dev;
    image_file.inode = status.st_ino;
    image_file.end = 0;
  }
  return file;
}
