/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof recover: an image is read, its figures become a file as the monitor
 * writes it, in memory, and that is read and written as any profile is, which
 * gives its addresses names.
 */

#include "command/recover.h"

#include "command/command.h"
#include "command/load.h"
#include "recover/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
recover_profile(const char *path, struct profile *profile,
                struct mprof_error *error)
{
  struct gzip_file file = {.always = true};
  memset(profile, 0, sizeof *profile);
  bool good = recover_file(path, &file, error) &&
              profile_load_octets(profile,
                                  (struct input_octets){file.contents.base,
                                                        file.length},
                                  true, NULL, error);
  arena_release(&file.contents);
  return good;
}

/* Whether the file IMAGE is one that was made SINCE, by a process that is
 * gone. */
static bool
is_left(const char *image, time_t since)
{
  struct image_head head;
  struct stat status;
  int file = open(image, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool left = file >= 0 && fstat(file, &status) == 0 &&
              S_ISREG(status.st_mode) && status.st_ctime >= since &&
              read(file, &head, sizeof head) == sizeof head &&
              memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) == 0 &&
              kill((pid_t)head.process, 0) != 0 && errno == ESRCH;
  if (file >= 0)
    close(file);
  return left;
}

/* IMAGE is the name of the profile and IMAGE_ENDING.  A process that has
 * allocated nothing has no profile. */
static bool
replace(const char *image, struct mprof_error *error)
{
  char path[PATH_MAX];
  struct profile profile;
  snprintf(path, sizeof path, "%.*s",
           (int)(strlen(image) - strlen(IMAGE_ENDING)), image);
  bool good = recover_profile(image, &profile, error) &&
              (profile.total[MEASURE_ALLOCS] == 0 ||
               profile_save(&profile, path, true, error));
  profile_release(&profile);
  if (good)
    unlink(image);
  return good;
}

/* Beside PATH itself, for other processes: what is between has digits and
 * dots. */
bool
recover_in_place(const char *path, time_t since, struct mprof_error *error)
{
  char pattern[PATH_MAX];
  glob_t images = {0};
  bool good = true;
  if (strpbrk(path, "*?[\\") != NULL) { /* by its name alone */
    snprintf(pattern, sizeof pattern, "%s" IMAGE_ENDING, path);
    return !is_left(pattern, since) || replace(pattern, error);
  }
  snprintf(pattern, sizeof pattern, "%s*" IMAGE_ENDING, path);
  if (glob(pattern, 0, NULL, &images) == 0)
    for (size_t i = 0; good && i < images.gl_pathc; i++) {
      const char *between = images.gl_pathv[i] + strlen(path);
      const size_t length = strlen(between) - strlen(IMAGE_ENDING);
      if ((length == 0 || strspn(between, ".0123456789") >= length) &&
          is_left(images.gl_pathv[i], since))
        good = replace(images.gl_pathv[i], error);
    }
  globfree(&images);
  return good;
}

/* Sets IMAGE to the image that NAME is, or that belongs to it, and PROFILE to
 * the profile of it. */
static void
find_names(const char *name, char image[PATH_MAX], char profile[PATH_MAX])
{
  const size_t ending = strlen(IMAGE_ENDING);
  const char *last = strstr(name, IMAGE_ENDING);
  while (last != NULL && strstr(last + 1, IMAGE_ENDING) != NULL)
    last = strstr(last + 1, IMAGE_ENDING);
  snprintf(image, PATH_MAX, "%s" IMAGE_ENDING, name);
  snprintf(profile, PATH_MAX, "%s", name);
  if (last == NULL || (last[ending] != '\0' && last[ending] != '.') ||
      access(image, F_OK) == 0)
    return;
  snprintf(image, PATH_MAX, "%s", name);
  snprintf(profile, PATH_MAX, "%.*s%s", (int)(last - name), name,
           last + ending);
}

bool
run_recover(const struct options *options, struct sink *sink,
            struct outcome *outcome)
{
  struct profile profile;
  char image[PATH_MAX];
  char own[PATH_MAX];
  (void)sink; /* all goes to the file */
  find_names(options->files[0], image, own);
  const char *name = options->output != NULL ? options->output : own;
  bool good = recover_profile(image, &profile, &outcome->error) &&
              profile_save(&profile, name, true, &outcome->error);
  if (good)
    mprof_line(outcome->remark,
               "wrote '%s': %" PRIu64 " allocations, %" PRIu64
               " bytes; see: mprof report %s",
               name, profile.total[MEASURE_ALLOCS],
               profile.total[MEASURE_BYTES], name);
  profile_release(&profile);
  return good;
}
