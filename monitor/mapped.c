/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mapped.c -- the figures of a Lisp program in an image (tree/image.h), and
 * what is in it beside them: what numbers stand for.
 *
 * Names of functions, classes, files of code, threads and regions are noted
 * when their numbers are given.
 */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entry.h"

#include "snapshot/snapshot.h"
#include "tree/image.h"

/* In place of what the image before this one had. */
static void
note_all_anew(void)
{
  image_forget_notes();
  note_all(NULL, NULL);
  region_table_map(&monitor.regions);
}

/* The image takes the place of the file that is there, whose rights it gets,
 * but for another image, which may be all that is left of a program.  Gives
 * back the rights; 0: there is none. */
static mode_t
make_way(const char *path)
{
  char magic[sizeof IMAGE_MAGIC - 1];
  struct stat status = {.st_mode = 0};
  const int file =
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  const bool replaced =
      file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      !(pread(file, magic, sizeof magic, 0) == sizeof magic &&
        memcmp(magic, IMAGE_MAGIC, sizeof magic) == 0) &&
      unlink(path) == 0;
  if (file >= 0)
    close(file);
  return replaced ? status.st_mode & 07777 : 0;
}

int
mprof_monitor_map(const char *path)
{
  int status = monitor_enter(), error;
  mode_t mode;
  if (status != MPROF_OK)
    return status;
  mode = make_way(path);
  error = image_open(path, IMAGE_LISP, getpid(), false);
  if (error == 0) {
    if (mode != 0)
      chmod(path, mode);
    note_all_anew();
    error = image_opened();
  }
  if (error != 0)
    status = monitor_fail(error == ENOMEM ? MPROF_NO_MEMORY
                                          : MPROF_CANNOT_WRITE,
                          "cannot write '%s': %s", path,
                          strerrordesc_np(error));
  return monitor_leave(status);
}

int
mprof_monitor_unmap(int keep)
{
  const int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  image_close(keep != 0);
  return monitor_leave(MPROF_OK);
}
