/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the files of `mprof run', and moves those of earlier runs aside. */

#include "command/run_files.h"

#include "command/load.h"
#include "images/image_reader.h"
#include "mprof.h"
#include "profile/reader.h"
#include "profile/writer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
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

/* Returns what follows "FILE." in NAME, PID or PID.N, or NULL if NAME is no
 * process's file. */
static const char *
suffix_of(const struct run_files *files, const char *name)
{
  static const char digits[] = "0123456789";
  const char *file = strrchr(files->path, '/') + 1;
  const size_t length = strlen(file);
  if (strncmp(name, file, length) != 0 || name[length] != '.')
    return NULL;
  const char *suffix = name + length + 1;
  const char *end = suffix + strspn(suffix, digits);
  const size_t more = *end == '.' ? strspn(end + 1, digits) : 0;
  return end > suffix && end[more == 0 ? 0 : more + 1] == '\0' ? suffix
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

/* Returns whether PATH is an image, and that of the process whose number
 * PROCESS begins with, unless PROCESS is NULL. */
static bool
is_image_of(const char *path, const char *process)
{
  struct image_head head;
  return image_read_head(path, &head) &&
         (process == NULL || strtoul(process, NULL, 10) == head.process);
}

/* Reads the file PATH, and fails if it is not a profile by mprof. */
static void
read_own(struct profile *profile, void *path)
{
  profile_init(profile);
  profile_read(profile, path, &(struct reader_options){0});
  if (!profile->by_mprof)
    fail_with(MPROF_BAD_PROFILE, "it is another program's");
}

/* Returns whether the file PATH can be read as a profile by mprof, even if
 * another program has compressed it anew. */
static bool
is_by_mprof(const char *path)
{
  struct mprof_error error;
  void *own = profile_handle(read_own, (void *)(uintptr_t)path, &error);
  mprof_profile_close(own);
  return own != NULL;
}

/* Returns whether PATH is a profile by mprof, or an image.  With PROCESS not
 * NULL its header must name that process, too. */
static bool
is_of_run(const char *path, const char *process)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         (is_image_of(path, process) || profile_file_is_of(path, process) ||
          (process == NULL && is_by_mprof(path)));
}

/* FILE and those beside it, gone through by one thread or by two. */
struct others {
  struct run_files *files;
  bool (*are)(const char *path, const char *process); /* looked for */
  run_file_fn *does;
  struct dirent **entries;
  int count;
  _Atomic int next; /* entry; -1: FILE */
  _Atomic bool good;
};

static void *
go_through(void *closure)
{
  struct others *others = closure;
  struct run_files *files = others->files;
  char path[PATH_MAX];
  for (int i; (i = others->next++) < others->count;) {
    const char *name =
        i < 0 ? strrchr(files->path, '/') + 1 : others->entries[i]->d_name;
    const char *process = i < 0 ? NULL : suffix_of(files, name);
    path_of_other(files, name, path);
    const bool is = i < 0 || (process != NULL && others->are(path, process));
    if (others->good && is && !others->does(files, path, process))
      others->good = false;
    if (i >= 0)
      free(others->entries[i]);
  }
  return NULL;
}

/* Calls DOES with the files of processes beside FILE that ARE what is looked
 * for: see run_files_each.  Returns false, too, when the folder cannot be
 * read. */
static bool
for_each(struct run_files *files, bool root,
         bool (*are)(const char *path, const char *process),
         run_file_fn *does, bool at_once)
{
  struct others others = {files, are, does, .next = -root, .good = true};
  pthread_t helper;
  char path[PATH_MAX];
  path_of_other(files, "", path);
  const int count = scandir(path, &others.entries, NULL, alphasort);
  others.count = count < 0 ? 0 : count;
  at_once = at_once && run_thread_begin(&helper, go_through, &others);
  go_through(&others);
  if (at_once)
    pthread_join(helper, NULL);
  free(others.entries);
  return count >= 0 && others.good;
}

bool
run_files_each(struct run_files *files, bool root, run_file_fn *does,
               bool at_once)
{
  return for_each(files, root, is_image_of, does, at_once);
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
  files->code.pool = &files->code_pool;
  pthread_mutex_init(&files->timelines_lock, NULL);
  pthread_mutex_init(&files->code_lock, NULL);
  pthread_mutex_init(&files->lock, NULL);
  set_path(files);
  if (lstat(files->path, &status) == 0 && !is_of_run(files->path, NULL))
    cannot_write(files, access(files->path, R_OK) != 0
                            ? strerror(errno)
                            : "it exists and is not a profile by mprof");
  if ((!set_aside(files, files->path, NULL) && errno != ENOENT) ||
      !for_each(files, false, is_of_run, set_aside, false)) {
    const char *why = strerror(errno);
    run_files_settle(files, false);
    cannot_write(files, why);
  }
}

void
run_files_release(struct run_files *files)
{
  code_names_release(&files->code);
  while (files->images != NULL)
    run_image_drop(files, files->images);
  pthread_mutex_destroy(&files->timelines_lock);
  pthread_mutex_destroy(&files->code_lock);
  pthread_mutex_destroy(&files->lock);
}
