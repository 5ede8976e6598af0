/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_writer.c -- the figures as a gzip-compressed pprof profile: its
 * file and the order of its parts.
 *
 * The format is reduce/profile/profile.proto; what the labels and comments
 * mean is in mprof-data(5).  Samples come first (sample_writer), so that the
 * locations that they use, the functions of these (location_writer) and all
 * strings are known when their turn comes.
 *
 * When anything fails, the temporary file is removed.  The old file stays
 * until the new one is complete and on disk.
 */
#include "write/profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "write/location_writer.h"
#include "monitor.h"
#include "write/number_map.h"
#include "profile.pb-c.h"
#include "write/profile_comments.h"
#include "write/profile_output.h"
#include "write/sample_writer.h"

static void
put_value_type(struct profile_output *output, unsigned field,
               const char *type, const char *unit)
{
  Mprof__Pprof__ValueType v = MPROF__PPROF__VALUE_TYPE__INIT;
  v.type = profile_output_string(output, type);
  v.unit = profile_output_string(output, unit);
  profile_output_message(output, field, &v.base);
}

static void
put_header(struct profile_output *output)
{
  struct timespec now;
  put_value_type(output, 1, "alloc_objects", "count");
  put_value_type(output, 1, "alloc_space", "bytes");
  put_value_type(output, 1, "inuse_objects", "count");
  put_value_type(output, 1, "inuse_space", "bytes");
  put_value_type(output, 1, "activations", "count");
  put_value_type(output, 11, "space", "bytes");
  profile_output_number(output, 12, 1);
  profile_output_number(
      output, 14, (uint64_t)profile_output_string(output, "alloc_space"));
  clock_gettime(CLOCK_REALTIME, &now);
  profile_output_number(output, 9,
                        (uint64_t)now.tv_sec * 1000000000u +
                            (uint64_t)now.tv_nsec);
}

static void
write_all(struct profile_output *output, const struct monitor_figures *f)
{
  struct number_map locations = { 0 };
  struct sample_writer samples = { .output = output,
                                   .locations = &locations };
  profile_output_string(output, ""); /* must be the first */
  put_header(output);
  for (const struct thread_figures *t = f->threads; t != NULL; t = t->next)
    sample_writer_put(&samples, t);
  location_writer_put(output, &locations);
  profile_comments_put(output, f, &samples);
  profile_output_strings(output, 6);
  number_map_release(&locations);
}

/* Compress everything into `file'. */
static void
write_to(struct profile_output *output,
         const struct monitor_figures *figures, int file)
{
  profile_output_open(output, file);
  if (output->failed == 0)
    write_all(output, figures);
  profile_output_close(output);
}

/* Write to a temporary file beside `path', and rename it when it is complete
 * and on disk. */
static void
replace_file(struct profile_output *output,
             const struct monitor_figures *figures, const char *path,
             const char *temporary)
{
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    profile_output_fail(output, errno);
    return;
  }
  write_to(output, figures, file);
  if (output->failed == 0 && fsync(file) != 0 && errno != EINVAL &&
      errno != EROFS)
    profile_output_fail(output, errno);
  if (close(file) != 0)
    profile_output_fail(output, errno);
  if (output->failed == 0 && rename(temporary, path) != 0)
    profile_output_fail(output, errno);
  if (output->failed != 0)
    unlink(temporary);
}

/* A pipe or a device is written to as it is. */
static void
write_in_place(struct profile_output *output,
               const struct monitor_figures *figures, const char *path)
{
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    profile_output_fail(output, errno);
    return;
  }
  write_to(output, figures, file);
  if (close(file) != 0)
    profile_output_fail(output, errno);
}

int
profile_write(const struct monitor_figures *figures, const char *path,
              char *message, size_t size)
{
  struct profile_output output = { 0 };
  char *temporary = malloc(strlen(path) + 5);
  struct stat there;

  if (temporary == NULL) {
    snprintf(message, size, "cannot write '%s': out of memory", path);
    return MPROF_NO_MEMORY;
  }
  strcpy(temporary, path);
  strcat(temporary, ".tmp");
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    write_in_place(&output, figures, path);
  else
    replace_file(&output, figures, path, temporary);
  if (output.failed != 0)
    snprintf(message, size, "cannot write '%s': %s", path,
             strerror(output.failed));
  free(temporary);
  profile_output_release(&output);
  return output.failed == 0        ? MPROF_OK
         : output.failed == ENOMEM ? MPROF_NO_MEMORY
                                   : MPROF_CANNOT_WRITE;
}
