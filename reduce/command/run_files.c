/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* See run_files.h.  A process has its image mapped as long as it counts in it:
 * so it is known whether a file is complete.
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
set_path(struct run_files *files, const char *name,
         struct mprof_error *error)
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

/* The files FILE.PID that are there, by name. */
struct others {
  struct dirent **entries; /* owned, as is each */
  size_t count;
};

static void
release_others(struct others *others)
{
  for (size_t i = 0; i < others->count; i++)
    free(others->entries[i]);
  free(others->entries);
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

/* Lists them; only those that KEEPS says of FILES, unless it is NULL. */
static bool
list_others(const struct run_files *files, struct others *others,
            bool (*keeps)(const struct run_files *, const char *name),
            struct mprof_error *error)
{
  char folder[PATH_MAX];
  path_of_other(files, "", folder);
  *others = (struct others){.count = 0};
  int count = scandir(folder, &others->entries, NULL, alphasort);
  if (count < 0)
    return cannot_write(files, strerror(errno), error);
  for (int i = 0; i < count; i++) {
    const char *name = others->entries[i]->d_name;
    if (suffix_of(files, name) != NULL &&
        (keeps == NULL || keeps(files, name)))
      others->entries[others->count++] = others->entries[i];
    else
      free(others->entries[i]);
  }
  return true;
}

static bool
has_other(const struct others *others, const char *name)
{
  for (size_t i = 0; i < others->count; i++)
    if (strcmp(others->entries[i]->d_name, name) == 0)
      return true;
  return false;
}

/* ---- before ------------------------------------------------------------ */

/* Whether the image PATH is one of the process that PROCESS begins with; NULL:
 * of any. */
static bool
is_image_of(const char *path, const char *process)
{
  struct image_head head;
  return image_read_head(path, &head) &&
         (process == NULL || strtoul(process, NULL, 10) == head.process);
}

/* Whether PATH is a profile by mprof; with PROCESS not NULL, one of a run
 * that calls itself that. */
static bool
is_of_run(const char *path, const char *process)
{
  const struct reader_options options = {.limits = &input_limits_default};
  struct profile profile;
  struct mprof_error error;
  struct stat status;
  char wanted[PROFILE_GZIP_COMMENT_BYTES], comment[sizeof wanted];
  mprof_error_clear(&error);
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  if (image_is(path))
    return is_image_of(path, process);
  profile_gzip_comment(process, wanted);
  if (gzip_comment(path, comment, sizeof comment) &&
      strncmp(comment, wanted,
              process == NULL ? strlen(wanted) : sizeof wanted) == 0)
    return true;
  bool good = profile_init(&profile) &&
              profile_read(&profile, path, &options, &error) &&
              profile.by_mprof;
  if (good && process != NULL) {
    const char *own = profile_comment(&profile, PPROF_COMMENT_PROCESS);
    good = own != NULL && strcmp(own, process) == 0;
  }
  profile_release(&profile);
  return good;
}

/* Removes the file NAME if it is of a run; whether it is still there. */
static bool
remains(const struct run_files *files, const char *name)
{
  char path[PATH_MAX];
  path_of_other(files, name, path);
  return !is_of_run(path, suffix_of(files, name)) || unlink(path) != 0;
}

/* Removes what an earlier run left; keeps the list of what is there. */
static bool
remove_old(struct run_files *files, struct mprof_error *error)
{
  struct stat status;
  if (lstat(files->path, &status) == 0) {
    if (!is_of_run(files->path, NULL))
      return cannot_write(files, "it exists and is not a profile by mprof",
                          error);
    if (unlink(files->path) != 0)
      return cannot_write(files, strerror(errno), error);
  }
  return list_others(files, files->old, remains, error);
}

bool
run_files_prepare(struct run_files *files, const char *name,
                  struct mprof_error *error)
{
  *files = (struct run_files){.name = name};
  files->old = calloc(1, sizeof *files->old);
  return files->old == NULL ? mprof_error_memory(error)
                            : set_path(files, name, error) &&
                                  remove_old(files, error);
}

void
run_files_release(struct run_files *files)
{
  if (files->old != NULL)
    release_others(files->old);
  free(files->old);
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
run_files_finish_one(struct run_files *files, char *path,
                     const char *process, bool *left,
                     struct mprof_error *error)
{
  struct run_sums *sums = &files->sums;
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
  bool good = profile_load_list(&profile, &list, true, &files->names, NULL,
                                error);
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
    sums->allocs += profile.total[MEASURE_ALLOCS];
    sums->bytes += profile.total[MEASURE_BYTES];
    sums->kept += profile.total[MEASURE_KEPT_BYTES];
    sums->lost += profile.total[MEASURE_LOST_BYTES] +
                  profile.total[COLUMN_OF_INDIRECT_BYTES];
    sums->sought =
        sums->sought || profile_has(&profile, MEASURE_LOST_BYTES);
    sums->files += process != NULL;
    sums->ecl =
        sums->ecl || (profile.language == LANGUAGE_C && has_ecl(&profile));
  }
  profile_release(&profile);
  return good;
}

bool
run_files_others(struct run_files *files, run_file_fn *does,
                 struct mprof_error *error)
{
  struct others others;
  char path[PATH_MAX];
  bool good = list_others(files, &others, NULL, error);
  for (size_t i = 0; good && i < others.count; i++) {
    const char *name = others.entries[i]->d_name;
    path_of_other(files, name, path);
    if (!has_other(files->old, name) && image_is(path))
      good = does(files, path, suffix_of(files, name), error);
  }
  release_others(&others);
  return good;
}
