/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* See run_files.h.  A process has its image mapped as long as it counts in
 * it: so it is known whether a file is complete.
 */

#include "command/run_files.h"

#include "command/load.h"
#include "common/pprof_format.h"
#include "pprof/reader.h"
#include "pprof/writer.h"
#include "recover/image_hold.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------- */

static bool
cannot_write(const struct run_files *files, const char *why,
             struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_WRITE, "cannot write '%s': %s",
                    files->name, why);
}

static bool
set_path(struct run_files *files, const char *name, struct mprof_error *error)
{
  char folder[PATH_MAX] = "";
  files->name = name;
  if (strstr(name, "%p") != NULL)
    return mprof_fail(error, MPROF_USAGE,
                      "-o takes a name without %%p, not '%s'", name);
  if (name[0] != '/' && getcwd(folder, sizeof folder - 1) == NULL)
    return cannot_write(files, strerror(errno), error);
  int length = snprintf(files->path, sizeof files->path, "%s%s%s", folder,
                        folder[0] == '\0' ? "" : "/", name);
  return length < (int)sizeof files->path - NAME_MAX ||
         cannot_write(files, "its name is too long", error);
}

/* Whether TEXT is PID or PID.N. */
static bool
is_process_suffix(const char *text)
{
  static const char digits[] = "0123456789";
  size_t length = strspn(text, digits);
  size_t more = text[length] == '.' ? strspn(text + length + 1, digits) : 0;
  return length > 0 && text[length + (more > 0 ? more + 1 : 0)] == '\0';
}

/* What is behind "FILE." in NAME; NULL if that is no file of a process. */
static const char *
suffix_of(const struct run_files *files, const char *name)
{
  const char *file = strrchr(files->path, '/') + 1;
  size_t length = strlen(file);
  return strncmp(name, file, length) == 0 && name[length] == '.' &&
                 is_process_suffix(name + length + 1)
             ? name + length + 1
             : NULL;
}

/* Sets PATH, of PATH_MAX bytes, to that of the file NAME beside FILE. */
static void
path_of_other(const struct run_files *files, const char *name, char *path)
{
  snprintf(path, PATH_MAX, "%.*s%s",
           (int)(strrchr(files->path, '/') + 1 - files->path), files->path,
           name);
}

/* Whether the image PATH is one of the process that PROCESS begins with;
 * NULL: of any. */
static bool
is_image_of(const char *path, const char *process)
{
  struct image_head head;
  return image_read_head(path, &head) &&
         (process == NULL || strtoul(process, NULL, 10) == head.process);
}

/* Whether the file PATH, which may have been written anew, is one by mprof.
 */
static bool
is_by_mprof(const char *path)
{
  const struct reader_options options = {.limits = &input_limits_default};
  struct profile profile;
  struct mprof_error error;
  mprof_error_clear(&error);
  const bool is = profile_init(&profile) &&
                  profile_read(&profile, path, &options, &error) &&
                  profile.by_mprof;
  profile_release(&profile);
  return is;
}

/* Whether PATH is a profile by mprof, or an image; with PROCESS not NULL, one
 * of a run that calls itself that, as its header says. */
static bool
is_of_run(const char *path, const char *process)
{
  struct stat status;
  char wanted[PROFILE_GZIP_COMMENT_BYTES], comment[sizeof wanted];
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  profile_gzip_comment(process, wanted);
  return is_image_of(path, process) ||
         (gzip_comment(path, comment, sizeof comment) &&
          strncmp(comment, wanted,
                  process == NULL ? strlen(wanted) : sizeof wanted) == 0) ||
         (process == NULL && is_by_mprof(path));
}

/* Calls DOES with the files of processes beside FILE that ARE what is looked
 * for, by their names, until that gives back false. */
static bool
for_each_other(struct run_files *files,
               bool (*are)(const char *path, const char *process),
               run_file_fn *does, struct mprof_error *error)
{
  struct dirent **entries = NULL;
  char path[PATH_MAX];
  path_of_other(files, "", path);
  const int count = scandir(path, &entries, NULL, alphasort);
  bool good = count >= 0 || cannot_write(files, strerror(errno), error);
  for (int i = 0; i < count; i++) {
    const char *process = suffix_of(files, entries[i]->d_name);
    path_of_other(files, entries[i]->d_name, path);
    good = good && (process == NULL || !are(path, process) ||
                    does(files, path, process, error));
    free(entries[i]);
  }
  free(entries);
  return good;
}

/* ---- before ------------------------------------------------------------ */

static bool
remove_other(struct run_files *files, char *path, const char *process,
             struct mprof_error *error)
{
  (void)files;
  (void)process;
  (void)error;
  unlink(path);
  return true;
}

bool
run_files_prepare(struct run_files *files, const char *name,
                  struct mprof_error *error)
{
  struct stat status;
  *files = (struct run_files){.name = name};
  if (!set_path(files, name, error))
    return false;
  if (lstat(files->path, &status) == 0 && !is_of_run(files->path, NULL))
    return cannot_write(files, "it exists and is not a profile by mprof",
                        error);
  if (unlink(files->path) != 0 && errno != ENOENT)
    return cannot_write(files, strerror(errno), error);
  return for_each_other(files, is_of_run, remove_other, error);
}

void
run_files_release(struct run_files *files)
{
  code_names_release(&files->names);
  searches_release(&files->searches);
}

/* ---- afterwards -------------------------------------------------------- */

/* Whether the program of PROFILE has ECL in it, whose objects come from the
 * collector and not from malloc. */
static bool
has_ecl(const struct profile *profile)
{
  for (size_t i = 0; i < profile->mapping_count; i++)
    if (strstr(names_text(&profile->names, profile->mappings[i].file),
               "/libecl.so") != NULL)
      return true;
  return false;
}

static void
add_sums(struct run_sums *sums, const struct profile *profile)
{
  sums->allocs += profile->total[MEASURE_ALLOCS];
  sums->bytes += profile->total[MEASURE_BYTES];
  sums->kept += profile->total[MEASURE_KEPT_BYTES];
  sums->lost += profile->total[MEASURE_LOST_BYTES] +
                profile->total[COLUMN_OF_INDIRECT_BYTES];
  sums->sought = sums->sought || profile_has(profile, MEASURE_LOST_BYTES);
  sums->ecl =
      sums->ecl || (profile->language == LANGUAGE_C && has_ecl(profile));
}

/* Whether PATH is a file that no process counts in any more. */
static bool
is_complete(const char *path)
{
  struct image_head head;
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         !(image_read_head(path, &head) && image_is_used(path, &head));
}

bool
run_files_finish_one(struct run_files *files, char *path, const char *process,
                     bool *left, struct mprof_error *error)
{
  struct profile profile = {0};
  *left = false;
  if (!is_complete(path))
    return true;
  char comment[NAME_MAX + 32];
  struct losses losses;
  struct input_name name = {.path = path};
  if (searches_take(&files->searches, path, &losses))
    name.losses = &losses;
  const struct input_list list = {.files = &name, .count = 1};
  bool good =
      profile_load_list(&profile, &list, true, &files->names, NULL, error);
  free(losses.leaves);
  *left = good && profile.total[MEASURE_ALLOCS] != 0;
  if (good && !*left) {
    profile_release(&profile);
    return unlink(path) == 0 ||
           mprof_fail(error, MPROF_CANNOT_WRITE, "cannot remove '%s': %s",
                      path, strerror(errno));
  }
  if (good && process != NULL) {
    snprintf(comment, sizeof comment, PPROF_COMMENT_PROCESS "=%s", process);
    uint32_t text = names_intern(&profile.names, comment);
    good = (text != NAMES_NONE && profile_add_comment(&profile, text)) ||
           mprof_error_memory(error);
  }
  /* on the disk for sure: that of the program that the user started */
  good = good && profile_save(&profile, path, process == NULL, error);
  if (good) {
    add_sums(&files->sums, &profile);
    files->sums.files += process != NULL;
  }
  profile_release(&profile);
  return good;
}

bool
run_files_others(struct run_files *files, run_file_fn *does,
                 struct mprof_error *error)
{
  return for_each_other(files, is_image_of, does, error);
}
