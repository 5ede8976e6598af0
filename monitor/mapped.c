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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor_lock.h"

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

/* The image gets the rights of a file whose place it takes. */
int
mprof_monitor_map(const char *path)
{
  int status = monitor_enter(), error;
  struct stat before;
  bool replaces;
  if (status != MPROF_OK)
    return status;
  replaces = lstat(path, &before) == 0 && S_ISREG(before.st_mode);
  error = image_open(path, IMAGE_LISP, getpid(), false);
  if (error == 0) {
    if (replaces)
      chmod(path, before.st_mode & 07777);
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
