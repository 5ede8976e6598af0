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
 * gone.  Sets *SAVED to whether there is a profile of all that is in it. */
static bool
is_left(const char *image, time_t since, bool *saved)
{
  struct image_head head = {.version = 0};
  struct stat status;
  int file = open(image, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool left = file >= 0 && fstat(file, &status) == 0 &&
              S_ISREG(status.st_mode) && status.st_ctime >= since &&
              read(file, &head, sizeof head) == sizeof head &&
              memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) == 0 &&
              kill((pid_t)head.process, 0) != 0 && errno == ESRCH;
  if (file >= 0)
    close(file);
  *saved = (head.flags & IMAGE_SAVED) != 0;
  return left;
}

/* Sets PROFILE to the name of the profile that IMAGE becomes: without the
 * last IMAGE_ENDING, behind which the number of a process may stand.  False:
 * there is none. */
static bool
name_profile(const char *image, char profile[PATH_MAX])
{
  const size_t ending = strlen(IMAGE_ENDING);
  const char *last = strstr(image, IMAGE_ENDING);
  while (last != NULL && strstr(last + 1, IMAGE_ENDING) != NULL)
    last = strstr(last + 1, IMAGE_ENDING);
  if (last == NULL || (last[ending] != '\0' && last[ending] != '.'))
    return false;
  snprintf(profile, PATH_MAX, "%.*s%s", (int)(last - image), image,
           last + ending);
  return true;
}

/* Puts a profile in the place of IMAGE, if that is left.  A process that has
 * allocated nothing has none. */
static bool
replace(const char *image, time_t since, struct mprof_error *error)
{
  char path[PATH_MAX];
  struct profile profile;
  bool saved;
  if (!name_profile(image, path) || !is_left(image, since, &saved))
    return true;
  bool good = saved || (recover_profile(image, &profile, error) &&
                        (profile.total[MEASURE_ALLOCS] == 0 ||
                         profile_save(&profile, path, true, error)));
  if (!saved)
    profile_release(&profile);
  if (good)
    unlink(image);
  return good;
}

/* Whether NAME is PATH and IMAGE_ENDING, with nothing but numbers of processes
 * before and behind that. */
static bool
belongs_to(const char *name, const char *path)
{
  static const char number[] = ".0123456789";
  const char *rest = name + strlen(path);
  rest += strspn(rest, number);
  if (rest[-1] == '.') /* that of the ending */
    rest--;
  const size_t ending = strlen(IMAGE_ENDING);
  return strncmp(rest, IMAGE_ENDING, ending) == 0 &&
         rest[ending + strspn(rest + ending, number)] == '\0';
}

bool
recover_in_place(const char *path, time_t since, struct mprof_error *error)
{
  char pattern[PATH_MAX];
  glob_t images = {0};
  bool good = true;
  if (strpbrk(path, "*?[\\") != NULL) { /* by its name alone */
    snprintf(pattern, sizeof pattern, "%s" IMAGE_ENDING, path);
    return replace(pattern, since, error);
  }
  snprintf(pattern, sizeof pattern, "%s*" IMAGE_ENDING "*", path);
  if (glob(pattern, 0, NULL, &images) == 0)
    for (size_t i = 0; good && i < images.gl_pathc; i++)
      if (belongs_to(images.gl_pathv[i], path))
        good = replace(images.gl_pathv[i], since, error);
  globfree(&images);
  return good;
}

/* Sets IMAGE to the image that NAME is, or that belongs to it, and PROFILE to
 * the profile of it. */
static void
find_names(const char *name, char image[PATH_MAX], char profile[PATH_MAX])
{
  snprintf(image, PATH_MAX, "%s" IMAGE_ENDING, name);
  if (access(image, F_OK) != 0 && name_profile(name, profile))
    snprintf(image, PATH_MAX, "%s", name);
  else
    snprintf(profile, PATH_MAX, "%s", name);
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
