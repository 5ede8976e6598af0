/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_file.c -- see image_file.h.
 */
#include "image/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/digits.h"
#include "common/image_format.h"
#include "image/image_parts.h"

/* ---- its descriptor ---- */

static bool
is_ours(int file)
{
  struct stat status;
  return file >= 0 && fstat(file, &status) == 0 &&
         status.st_dev == image.file.device &&
         status.st_ino == image.file.inode;
}

int
image_file_open(void)
{
  int file;
  if (is_ours(image.file.begun))
    return image.file.begun;
  file = open(image.file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file >= 0 && !is_ours(file)) {
    close(file);
    return -1;
  }
  return file;
}

void
image_file_close(int file)
{
  if (file >= 0 && file != image.file.begun)
    close(file);
}

void
image_file_begun(void)
{
  if (is_ours(image.file.begun))
    close(image.file.begun);
  image.file.begun = -1;
}

/* ---- room ---- */

uint64_t
image_file_limit(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

int
image_file_lengthen(int file, uint64_t bytes)
{
  if (image.file.end + bytes > image_file_limit())
    return EFBIG; /* the kernel would send a signal */
  if (ftruncate(file, (off_t)(image.file.end + bytes)) != 0)
    return errno;
  image.file.end += bytes;
  return 0;
}

bool
image_file_is_dense(int file)
{
  enum { BLOCK = 512 };
  struct stat status;
  return fstat(file, &status) == 0 && status.st_size > 0 &&
         status.st_blocks * BLOCK >= status.st_size;
}

/* Asks for the flags of the file, or sets them: by the kernel, since C
 * libraries differ in the type of a request.  Returns false if that fails. */
static bool
use_flags(int file, unsigned long request, int *flags)
{
  const long arguments[6] = {file, (long)request, (long)(intptr_t)flags};
  return arch_system_call(SYS_ioctl, arguments) == 0;
}

/* Makes btrfs write in place, as others do: else a page that is there could
 * find no room when it is written to again. */
static void
write_in_place(int file)
{
  struct statfs system;
  int flags;
  if (fstatfs(file, &system) != 0 || system.f_type != BTRFS_SUPER_MAGIC ||
      !use_flags(file, FS_IOC_GETFLAGS, &flags))
    return;
  flags |= FS_NOCOW_FL;
  use_flags(file, FS_IOC_SETFLAGS, &flags);
}

/* ---- another file in its place ---- */

/* Keeps the mask.  Under AT_SECURE the caller chose it, and it may be 0: then
 * the file is for its owner only. */
void
image_file_keep_mask(void)
{
  image.file.mask = umask(077);
  umask(image.file.mask);
  if (getauxval(AT_SECURE) != 0)
    image.file.mask |= 077;
}

/* Moves the file that is there out of the way.  An image that another process
 * has left, or this one before exec, gets its number added to the name, and
 * another one if that is taken.  Returns false, with EEXIST if it is no
 * regular file. */
static bool
move_old(void)
{
  enum { MOST = 10000 };
  char *const name = image.file.old;
  struct image_head head = {.version = 0};
  struct stat status;
  char *end;
  int file;
  name[0] = '\0';
  if (lstat(image.file.path, &status) != 0)
    return errno == ENOENT;
  errno = EEXIST;
  if (!S_ISREG(status.st_mode))
    return false;
  file = open(image.file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 && (pread(file, &head, sizeof head, 0) != sizeof head ||
                    memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) != 0))
    head.process = 0;
  if (file >= 0)
    close(file);
  image.file.old_stays =
      head.process != 0 &&
      ((head.flags & IMAGE_SAVED) == 0 || head.process != (uint32_t)getpid());
  end = stpcpy(stpcpy(name, image.file.path),
               image.file.old_stays ? "." : ".old.");
  end = write_digits(
      end, image.file.old_stays ? head.process : (uint32_t)getpid(), 10);
  for (unsigned i = 2; access(name, F_OK) == 0 && i < MOST; i++)
    write_digits(stpcpy(end, "."), i, 10);
  if (rename(image.file.path, name) == 0)
    return true;
  image.file.old[0] = '\0';
  return false;
}

void
image_file_settle(bool works)
{
  if (image.file.old[0] != '\0') {
    if (!works)
      rename(image.file.old, image.file.path);
    else if (!image.file.old_stays)
      unlink(image.file.old);
  }
  image.file.old[0] = '\0';
}

int
image_file_make(const char *path, bool exclusive)
{
  struct stat status = {.st_ino = 0};
  int file;
  if (strlen(path) >= sizeof image.file.path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(image.file.path, path);
  if (!exclusive && !move_old())
    return -1;
  file = open(image.file.path,
              O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
              0666 & ~image.file.mask);
  if (file >= 0 && fstat(file, &status) != 0) {
    close(file);
    unlink(image.file.path);
    return -1;
  }
  if (file >= 0)
    write_in_place(file);
  image.file.device = status.st_dev;
  image.file.inode = status.st_ino;
  image.file.end = 0;
  return image.file.begun = file;
}
