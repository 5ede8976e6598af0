/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof run: a program writes FILE, each other process of its FILE.PID or
 * FILE.PID.N; so does a program that became another by exec.  What an earlier
 * run left under these names is removed before, and nothing else: FILE must
 * be a profile by mprof, and the others must say that they came from that
 * process in a run.
 *
 * Afterwards each file is finished: it is read, which gives its addresses
 * names, and written again as any other profile, compressed.  A process that
 * is still there then leaves its file as the monitor wrote it, which all
 * commands read as well.
 */

#include "command/run.h"
#include "common/pprof_format.h"
#include "command/run_program.h"
#include "command/unmonitored.h"
#include "base/output_file.h"
#include "load.h"
#include "pprof/reader.h"
#include "pprof/writer.h"
#include "base/array.h"
#include "pprof/reader.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char process_key[] = PPROF_COMMENT_PROCESS;

/* Files that processes of the program write, and their folder. */
struct profile_files {
  const char *name;    /* FILE as it was given */
  char path[PATH_MAX]; /* the same, absolute */
  char **others;       /* owned, as is each: names behind "FILE." */
  size_t count, capacity;
};

/* ---- files ------------------------------------------------------------- */

static bool
set_path(struct profile_files *files, const char *name,
         struct mprof_error *error)
{
  char folder[PATH_MAX] = "";
  memset(files, 0, sizeof *files);
  files->name = name;
  if (strstr(name, "%p") != NULL)
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "-o takes a name without %%p, not '%s'", name);
  if (name[0] != '/' && getcwd(folder, sizeof folder - 1) == NULL)
    return mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                           "cannot write '%s': %s", name, strerror(errno));
  int length = snprintf(files->path, sizeof files->path, "%s%s%s", folder,
                        folder[0] == '\0' ? "" : "/", name);
  return length < (int)sizeof files->path - NAME_MAX ||
         mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                         "cannot write '%s': its name is too long", name);
}

static void
release_files(struct profile_files *files)
{
  for (size_t i = 0; i < files->count; i++)
    free(files->others[i]);
  free(files->others);
}

/* Whether TEXT is PID or PID.N. */
static bool
is_process_suffix(const char *text)
{
  static const char digits[] = "0123456789";
  size_t length = strspn(text, digits);
  if (length == 0 || text[length] == '\0')
    return length > 0;
  const char *rest = text + length + 1;
  return text[length] == '.' && *rest != '\0' &&
         rest[strspn(rest, digits)] == '\0';
}

static int
compare_names(const void *left, const void *right)
{
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool
add_other(struct profile_files *files, const char *name)
{
  char **others = array_reserve(files->others, &files->capacity,
                                files->count + 1, sizeof *others);
  if (others == NULL)
    return false;
  files->others = others;
  others[files->count] = strdup(name);
  return others[files->count++] != NULL;
}

/* Lists the files FILE.PID that are there, by name. */
static bool
list_others(struct profile_files *files, struct mprof_error *error)
{
  char folder[PATH_MAX];
  const char *name = strrchr(files->path, '/') + 1;
  size_t length = strlen(name);
  const struct dirent *entry;
  bool good = true;
  snprintf(folder, sizeof folder, "%.*s/", (int)(name - 1 - files->path),
           files->path);
  DIR *directory = opendir(folder);
  if (directory == NULL)
    return mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                           "cannot write '%s': %s", files->name,
                           strerror(errno));
  while (good && (entry = readdir(directory)) != NULL)
    if (strncmp(entry->d_name, name, length) == 0 &&
        entry->d_name[length] == '.' &&
        is_process_suffix(entry->d_name + length + 1))
      good = add_other(files, entry->d_name + length + 1);
  closedir(directory);
  array_sort(files->others, files->count, sizeof *files->others,
             compare_names);
  return good || mprof_error_memory(error);
}

static bool
has_other(const struct profile_files *files, const char *name)
{
  for (size_t i = 0; i < files->count; i++)
    if (strcmp(files->others[i], name) == 0)
      return true;
  return false;
}

/* Sets PATH, of PATH_MAX bytes, to FILE.OTHER. */
static void
path_of_other(const struct profile_files *files, const char *other,
              char *path)
{
  snprintf(path, PATH_MAX, "%.*s.%s", PATH_MAX - NAME_MAX - 1, files->path,
           other);
}

/* ---- before ------------------------------------------------------------ */

/* Whether PATH is a profile by mprof; with PROCESS not NULL, one of a run
 * that calls itself that. */
static bool
is_of_run(const char *path, const char *process)
{
  struct profile profile;
  struct mprof_error error;
  struct stat status;
  mprof_error_clear(&error);
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  bool good =
      profile_init(&profile) &&
      profile_read(&profile, path,
                   &(struct reader_options){.limits = &input_limits_default},
                   &error) &&
      profile.by_mprof;
  if (good && process != NULL) {
    const char *own = profile_comment(&profile, process_key, 0);
    good = own != NULL && strcmp(own, process) == 0;
  }
  profile_release(&profile);
  return good;
}

/* Removes what an earlier run left; keeps the list of what is there. */
static bool
remove_old(struct profile_files *files, struct mprof_error *error)
{
  struct stat status;
  char path[PATH_MAX];
  if (lstat(files->path, &status) == 0) {
    if (!is_of_run(files->path, NULL))
      return mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                             "cannot write '%s': it is there and no profile "
                             "by mprof",
                             files->name);
    if (unlink(files->path) != 0)
      return mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                             "cannot write '%s': %s", files->name,
                             strerror(errno));
  }
  if (!list_others(files, error))
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < files->count; i++) {
    path_of_other(files, files->others[i], path);
    if (is_of_run(path, files->others[i]) && unlink(path) == 0)
      free(files->others[i]);
    else
      files->others[kept++] = files->others[i];
  }
  files->count = kept;
  return true;
}

/* ---- afterwards -------------------------------------------------------- */

/* What was counted, over all files. */
struct outcome {
  uint64_t allocs, bytes, kept;
  size_t files; /* beside FILE */
};

/* Finishes PATH, which stands for the process PROCESS unless that is NULL. */
static bool
finish_file(const char *path, const char *process, struct outcome *outcome,
            struct mprof_error *error)
{
  struct profile profile = {0};
  struct output_file file;
  char comment[NAME_MAX + 32];
  struct input_name name = {.path = strdup(path)};
  const struct input_list list = {.files = &name, .count = 1};
  bool good = name.path != NULL || mprof_error_memory(error);
  good = good && profile_load_list(&profile, &list, true, NULL, error);
  free(name.path);
  if (good && process != NULL) {
    snprintf(comment, sizeof comment, "%s=%s", process_key, process);
    uint32_t text = names_intern(&profile.names, comment);
    good = (text != NAMES_NONE && profile_add_comment(&profile, text)) ||
           mprof_error_memory(error);
  }
  if (good && output_file_open(&file, path, error)) {
    profile_write(&profile, false, &file.sink);
    good = output_file_close(&file, true, error);
  }
  if (good) {
    outcome->allocs += profile.total[MEASURE_ALLOCS];
    outcome->bytes += profile.total[MEASURE_BYTES];
    outcome->kept += profile.total[MEASURE_KEPT_BYTES];
    outcome->files += process != NULL;
  }
  profile_release(&profile);
  return good && error->code == MPROF_OK;
}

/* Finishes all files that are new since OLD was listed.  Sets *ROOT to
 * whether FILE is there. */
static bool
finish_files(const struct profile_files *old, struct outcome *outcome,
             bool *root, struct mprof_error *error)
{
  struct profile_files files = {.name = old->name};
  char path[PATH_MAX];
  memcpy(files.path, old->path, sizeof files.path);
  *root = access(files.path, F_OK) == 0;
  bool good = (!*root || finish_file(files.path, NULL, outcome, error)) &&
              list_others(&files, error);
  for (size_t i = 0; good && i < files.count; i++) {
    struct stat status;
    path_of_other(&files, files.others[i], path);
    /* An empty file is the name that a process took and has not used. */
    if (has_other(old, files.others[i]) || lstat(path, &status) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    if (status.st_size == 0)
      unlink(path);
    else
      good = finish_file(path, files.others[i], outcome, error);
  }
  release_files(&files);
  return good;
}

/* Such as KILL; those of real time have none. */
static const char *
signal_name(int number)
{
  const char *name = sigabbrev_np(number);
  return name != NULL ? name : "of real time";
}

/* Makes ERROR say why there is no FILE. */
static bool
say_nothing_written(const char *name, const struct program_end *end,
                    struct mprof_error *error)
{
  const char *reason = unmonitored_reason(name);
  if (reason == NULL && end->signal != 0)
    return mprof_error_set(
        error, MPROF_PROGRAM, MPROF_NO_OFFSET,
        "no profile of '%s' was written: signal %s ended it at once "
        "(--autosave=N writes before)",
        name, signal_name(end->signal));
  /* The monitor itself has said what went wrong, such as a full disk. */
  return mprof_error_set(error, MPROF_PROGRAM, MPROF_NO_OFFSET,
                         "no profile of '%s' was written: %s", name,
                         reason != NULL
                             ? reason
                             : "it allocated nothing, or a line above says "
                               "why");
}

/* Makes ERROR say what was written: it is no failure. */
static bool
say(const struct options *options, const struct outcome *outcome, bool root,
    const struct program_end *end, struct mprof_error *error)
{
  const char *name = options->output;
  char files[64] = "";
  if (!root)
    return say_nothing_written(options->files[0], end, error);
  if (outcome->files > 0)
    snprintf(files, sizeof files, " and %zu of other programs",
             outcome->files);
  return mprof_error_set(
      error, MPROF_PROGRAM, MPROF_NO_OFFSET,
      "wrote '%s'%s: %" PRIu64 " allocations, %" PRIu64 " bytes, %" PRIu64
      " of them kept%s; see: mprof report %s%s%s%s",
      name, files, outcome->allocs, outcome->bytes, outcome->kept,
      end->signal == SIGKILL ? " when it was last saved" : "", name,
      outcome->files > 0 ? " " : "", outcome->files > 0 ? name : "",
      outcome->files > 0 ? ".[0-9]*" : "");
}

bool
run_monitored(const struct options *options, struct sink *sink,
              struct mprof_error *error)
{
  struct profile_files files = {0};
  struct options settled = *options;
  struct program_end end;
  struct outcome outcome = {0};
  bool root = false;
  (void)sink; /* the output is the program's */
  if (settled.output == NULL)
    settled.output = "mprof.data";
  bool good = program_exists(&settled, error) &&
              set_path(&files, settled.output, error) &&
              remove_old(&files, error) &&
              program_run(&settled, files.path, &end, error);
  if (good) {
    if (finish_files(&files, &outcome, &root, error)) {
      say(&settled, &outcome, root, &end, error);
      if (options->quiet && root)
        error->message[0] = '\0';
    }
    error->code = MPROF_PROGRAM;
    error->exit_status = end.status;
    error->signal = end.signal;
  }
  release_files(&files);
  return false;
}
