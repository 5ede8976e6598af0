/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces a file as a whole: temporary file, fsync, rename.  A symbolic link
 * is followed first, so that the link stays a link. */

#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 100 }; /* names for the temporary file */

static _Noreturn void
cannot_write(const struct output_file *file, int error_number)
{
  fail_file(MPROF_CANNOT_WRITE, MPROF_NO_OFFSET, file->path,
            "cannot write '%s': %s", file->path, strerror(error_number));
}

/* Removes a file that was not completed. */
static void
drop(void *what)
{
  struct output_file *file = what;
  if (file->descriptor >= 0)
    close(file->descriptor);
  if (file->temporary != NULL)
    unlink(file->temporary);
}

/* Opens a new file beside the target; the mode is that of OLD, or what the
 * process gives to new files. */
static void
open_temporary(struct output_file *file, const struct stat *old)
{
  char *name = pool_alloc(strlen(file->target) + 64);
  for (unsigned i = 0; file->descriptor < 0 && i < MOST_TRIES; i++) {
    sprintf(name, "%s.tmp.%ld.%u", file->target, (long)getpid(), i);
    file->descriptor =
        open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->descriptor < 0 && errno != EEXIST)
      cannot_write(file, errno);
  }
  if (file->descriptor < 0)
    cannot_write(file, errno);
  file->temporary = name;
  if (old != NULL && fchmod(file->descriptor, old->st_mode & 07777) != 0)
    cannot_write(file, errno);
}

struct output_file *
output_file_open(const char *path)
{
  struct stat status;
  char resolved[PATH_MAX];
  struct output_file *file = pool_zeroed(1, sizeof *file);
  file->path = path;
  file->descriptor = -1;
  pool_on_release(drop, file);
  const bool exists = stat(path, &status) == 0;
  if (exists && realpath(path, resolved) == NULL)
    cannot_write(file, errno);
  file->target = pool_text(exists ? resolved : path);
  if (!exists || S_ISREG(status.st_mode))
    open_temporary(file, exists ? &status : NULL);
  else if ((file->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) <
           0)
    cannot_write(file, errno);
  sink_init(&file->sink, sink_write_descriptor, &file->descriptor);
  return file;
}

void
output_file_close(struct output_file *file)
{
  if (!sink_flush(&file->sink))
    cannot_write(file, file->sink.error_number);
  if (file->temporary != NULL && !file->unsynced &&
      fsync(file->descriptor) != 0)
    cannot_write(file, errno);
  const int descriptor = file->descriptor;
  file->descriptor = -1;
  if (close(descriptor) != 0)
    cannot_write(file, errno);
  if (file->temporary != NULL && rename(file->temporary, file->target) != 0)
    cannot_write(file, errno);
  pool_forget(file);
}
