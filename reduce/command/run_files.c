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
#include "tables/table.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------- */

static _Noreturn void
cannot_write(const struct run_files *files, const char *why)
{
  fail_with(MPROF_CANNOT_WRITE, "cannot write '%s': %s", files->name, why);
}

static void
set_path(struct run_files *files)
{
  const char *name = files->name;
  char folder[PATH_MAX] = "";
  if (strstr(name, "%p") != NULL)
    fail_with(MPROF_USAGE, "-o takes a name without %%p, not '%s'", name);
  if (name[0] != '/' && getcwd(folder, sizeof folder - 1) == NULL)
    cannot_write(files, strerror(errno));
  int length = snprintf(files->path, sizeof files->path, "%s%s%s", folder,
                        folder[0] == '\0' ? "" : "/", name);
  if (length >= (int)sizeof files->path - NAME_MAX)
    cannot_write(files, "its name is too long");
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

struct looking {
  const char *path;
  struct profile profile;
};

static void
look(void *closure)
{
  const struct reader_options options = {0};
  struct looking *looking = closure;
  profile_init(&looking->profile);
  profile_read(&looking->profile, looking->path, &options);
}

/* Whether the file PATH, which may have been written anew, is one by mprof.
 */
static bool
is_by_mprof(const char *path)
{
  struct looking looking = {.path = path};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  const bool is =
      attempt(&pool, look, &looking, &error) && looking.profile.by_mprof;
  pool_release(&pool);
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
               run_file_fn *does)
{
  struct dirent **entries = NULL;
  char path[PATH_MAX];
  path_of_other(files, "", path);
  const int count = scandir(path, &entries, NULL, alphasort);
  bool good = count >= 0;
  for (int i = 0; i < count; i++) {
    const char *process = suffix_of(files, entries[i]->d_name);
    path_of_other(files, entries[i]->d_name, path);
    good = good && (process == NULL || !are(path, process) ||
                    does(files, path, process));
    free(entries[i]);
  }
  free(entries);
  return good;
}

/* ---- before ------------------------------------------------------------ */

struct earlier_file {
  struct earlier_file *next;
  const char *path, *aside; /* its name, and that it has meanwhile */
};

/* Moves the file PATH out of the way, until run_files_settle. */
static bool
set_aside(struct run_files *files, char *path, const char *process)
{
  struct earlier_file *file = pool_alloc(sizeof *file);
  char aside[PATH_MAX];
  (void)process;
  path_of_other(files,
                pool_format("mprof-old.%u.%zu", (unsigned)getpid(),
                            files->earlier_count++),
                aside);
  *file = (struct earlier_file){files->earlier, pool_text(path),
                                pool_text(aside)};
  if (rename(path, aside) != 0)
    return false;
  files->earlier = file;
  return true;
}

void
run_files_settle(struct run_files *files, bool started)
{
  for (; files->earlier != NULL; files->earlier = files->earlier->next)
    if (started)
      unlink(files->earlier->aside);
    else if (access(files->earlier->path, F_OK) != 0)
      rename(files->earlier->aside, files->earlier->path);
}

void
run_files_prepare(struct run_files *files, const char *name,
                  const struct view_options *view)
{
  struct stat status;
  memset(files, 0, sizeof *files);
  files->name = name;
  files->view = view;
  files->names.pool = &files->names_pool;
  pthread_mutex_init(&files->timelines_lock, NULL);
  set_path(files);
  if (lstat(files->path, &status) == 0 && !is_of_run(files->path, NULL))
    cannot_write(files, "it exists and is not a profile by mprof");
  if ((!set_aside(files, files->path, NULL) && errno != ENOENT) ||
      !for_each_other(files, is_of_run, set_aside)) {
    const char *why = strerror(errno);
    run_files_settle(files, false);
    cannot_write(files, why);
  }
}

void
run_files_release(struct run_files *files)
{
  code_names_release(&files->names);
  searches_release(&files->searches);
  run_timelines_release(files);
  pthread_mutex_destroy(&files->timelines_lock);
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
  sums->lost += profile->total[MEASURE_LOST_BYTES];
  sums->lost_indirectly += profile->total[COLUMN_OF_INDIRECT_BYTES];
  sums->sought = sums->sought || profile_has(profile, MEASURE_LOST_BYTES);
  sums->ecl =
      sums->ecl || (profile->language == LANGUAGE_C && has_ecl(profile));
}

static void
add_leaks(struct run_files *files, const struct profile *profile, bool root)
{
  struct run_leaks *leaks = &files->sums.leaks;
  struct reduction reduction;
  struct view view;
  if (profile->language != LANGUAGE_C || has_ecl(profile))
    leaks->unchecked = "it has Lisp objects";
  if (!profile_has(profile, MEASURE_LOST_BYTES)) {
    if (root && leaks->unchecked == NULL)
      leaks->unchecked =
          "what it lost is not known; a line above may say why";
    return; /* others became another program, or were killed */
  }
  reduction_init(&reduction, profile, files->view);
  view_init(&view, &leaks_table, &reduction, FORM_TEXT);
  const struct figures *total = view_total(&view).figures;
  const struct ranking_row *first = view.ranking.rows;
  leaks->bytes += total->kept_bytes;
  leaks->objects += total->kept_allocs;
  if (view.ranking.count > 0 && first->figures->kept_bytes > leaks->most) {
    leaks->most = first->figures->kept_bytes;
    snprintf(leaks->site, sizeof leaks->site, "%s", first->name);
  }
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

struct finishing {
  struct run_files *files;
  char *path;
  const char *process;
  struct losses losses;
  bool left;
};

static void
finish(void *closure)
{
  struct finishing *finishing = closure;
  struct run_files *files = finishing->files;
  const char *process = finishing->process;
  struct input_name name = {.path = finishing->path};
  const struct input_list list = {.files = &name, .count = 1};
  struct profile profile = {0};
  if (searches_take(&files->searches, name.path, &finishing->losses))
    name.losses = &finishing->losses;
  name.timeline = run_timelines_find(files, name.path);
  profile_load_list(&profile, &list, true, &files->names);
  run_timelines_drop(files, name.timeline);
  finishing->left = profile.total[MEASURE_ALLOCS] != 0;
  if (!finishing->left) {
    if (unlink(name.path) != 0)
      fail_with(MPROF_CANNOT_WRITE, "cannot remove '%s': %s", name.path,
                strerror(errno));
    return;
  }
  if (process != NULL)
    profile_add_comment(
        &profile,
        names_intern(&profile.names,
                     pool_format(PPROF_COMMENT_PROCESS "=%s", process)));
  /* on the disk for sure: that of the program that the user started */
  profile_save(&profile, name.path, process == NULL);
  add_sums(&files->sums, &profile);
  if (files->view != NULL)
    add_leaks(files, &profile, process == NULL);
  files->sums.files += process != NULL;
}

bool
run_files_finish_one(struct run_files *files, char *path, const char *process,
                     bool *left)
{
  struct finishing finishing = {files, path, process, {0}, false};
  struct pool pool = {NULL, NULL};
  bool good = true;
  pthread_mutex_lock(&files->timelines_lock);
  if (is_complete(path))
    good = attempt(&pool, finish, &finishing, &files->error);
  pthread_mutex_unlock(&files->timelines_lock);
  if (!good)
    code_names_release(&files->names);
  free(finishing.losses.leaves);
  pool_release(&pool);
  *left = good && finishing.left;
  return good;
}

bool
run_files_others(struct run_files *files, run_file_fn *does)
{
  return for_each_other(files, is_image_of, does);
}
