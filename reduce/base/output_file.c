/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Temporary file, fsync, rename.  A symbolic link is followed first, so that
 * the link stays a link.
 */

#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 100 }; /* names for the temporary file */

static bool
write_error(const struct output_file *file, int error_number,
            struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_WRITE, "cannot write '%s': %s",
                    file->path, strerror(error_number));
}

static void
release(struct output_file *file)
{
  free(file->target);
  free(file->temporary);
  memset(file, 0, sizeof *file);
}

/* Opens a new file beside the target; -1 and errno on failure.  The mode is
 * that of OLD, or what the process gives to new files. */
static int
open_temporary(struct output_file *file, const struct stat *old)
{
  int descriptor = -1;
  for (unsigned i = 0; descriptor < 0 && i < MOST_TRIES; i++) {
    free(file->temporary);
    if (asprintf(&file->temporary, "%s.tmp.%ld.%u", file->target,
                 (long)getpid(), i) < 0) {
      file->temporary = NULL;
      return -1;
    }
    descriptor =
        open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      return -1;
  }
  if (descriptor >= 0 && old != NULL &&
      fchmod(descriptor, old->st_mode & 07777) != 0) {
    int saved = errno;
    close(descriptor);
    unlink(file->temporary);
    errno = saved;
    return -1;
  }
  return descriptor;
}

bool
output_file_open(struct output_file *file, const char *path,
                 struct mprof_error *error)
{
  struct stat status;
  memset(file, 0, sizeof *file);
  file->path = path;
  bool exists = stat(path, &status) == 0;
  file->target = exists ? realpath(path, NULL) : strdup(path);
  if (file->target == NULL)
    return write_error(file, errno, error);
  bool direct = exists && !S_ISREG(status.st_mode);
  file->descriptor = direct ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                            : open_temporary(file, exists ? &status : NULL);
  if (file->descriptor < 0) {
    write_error(file, errno, error);
    release(file);
    return false;
  }
  sink_init(&file->sink, sink_write_descriptor, &file->descriptor);
  return true;
}

bool
output_file_close(struct output_file *file, bool good,
                  struct mprof_error *error)
{
  int failure = 0;
  if (good && !sink_flush(&file->sink))
    failure = file->sink.error_number;
  else if (good && file->temporary != NULL && !file->unsynced &&
           fsync(file->descriptor) != 0)
    failure = errno;
  if (close(file->descriptor) != 0 && good && failure == 0)
    failure = errno;
  if (good && failure == 0 && file->temporary != NULL &&
      rename(file->temporary, file->target) != 0)
    failure = errno;
  if (failure != 0)
    good = write_error(file, failure, error);
  if (!good && file->temporary != NULL)
    unlink(file->temporary);
  release(file);
  return good;
}
