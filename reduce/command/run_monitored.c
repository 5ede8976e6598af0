/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof run: a program counts in FILE, each other process of its in FILE.PID or
 * FILE.PID.N; so does a program that became another by exec.  What an earlier
 * run left under these names is removed before, and nothing else: FILE must
 * be a profile by mprof, and the others must say that they came from that
 * process in a run.
 *
 * Afterwards each file, which is an image, becomes a profile: it is read, its
 * addresses get names, and it is written in pprof's format.  Each library is
 * looked at once for all files.  A process that is still there then has its
 * image still, which all commands read as well.
 */

#include "command/command.h"

#include "command/attach.h"
#include "command/load.h"
#include "command/run_program.h"
#include "command/watch.h"
#include "common/pprof_format.h"
#include "pprof/reader.h"
#include "recover/image_hold.h"
#include "symbols/code_names.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that processes of the program write, and their folder. */
struct profile_files {
  const char *name;       /* FILE as it was given */
  char path[PATH_MAX];    /* the same, absolute */
  struct dirent **others; /* owned, as is each: files FILE.PID */
  size_t count;
};

/* ---- files ------------------------------------------------------------- */

static bool
cannot_write(const struct profile_files *files, const char *why,
             struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_WRITE, "cannot write '%s': %s",
                    files->name, why);
}

static bool
set_path(struct profile_files *files, const char *name,
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
  size_t more = text[length] == '.' ? strspn(text + length + 1, digits) : 0;
  return length > 0 && text[length + (more > 0 ? more + 1 : 0)] == '\0';
}

/* What is behind "FILE." in NAME; NULL if that is no file of a process. */
static const char *
suffix_of(const struct profile_files *files, const char *name)
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
path_of_other(const struct profile_files *files, const char *name, char *path)
{
  snprintf(path, PATH_MAX, "%.*s%s",
           (int)(strrchr(files->path, '/') + 1 - files->path), files->path,
           name);
}

/* Lists the files FILE.PID that are there, by name; only those that KEEPS
 * says of FILES, unless it is NULL. */
static bool
list_others(struct profile_files *files,
            bool (*keeps)(const struct profile_files *, const char *name),
            struct mprof_error *error)
{
  char folder[PATH_MAX];
  path_of_other(files, "", folder);
  int count = scandir(folder, &files->others, NULL, alphasort);
  if (count < 0)
    return cannot_write(files, strerror(errno), error);
  for (int i = 0; i < count; i++) {
    const char *name = files->others[i]->d_name;
    if (suffix_of(files, name) != NULL &&
        (keeps == NULL || keeps(files, name)))
      files->others[files->count++] = files->others[i];
    else
      free(files->others[i]);
  }
  return true;
}

static bool
has_other(const struct profile_files *files, const char *name)
{
  for (size_t i = 0; i < files->count; i++)
    if (strcmp(files->others[i]->d_name, name) == 0)
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
  mprof_error_clear(&error);
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  if (image_is(path))
    return is_image_of(path, process);
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
remains(const struct profile_files *files, const char *name)
{
  char path[PATH_MAX];
  path_of_other(files, name, path);
  return !is_of_run(path, suffix_of(files, name)) || unlink(path) != 0;
}

/* Removes what an earlier run left; keeps the list of what is there. */
static bool
remove_old(struct profile_files *files, struct mprof_error *error)
{
  struct stat status;
  if (lstat(files->path, &status) == 0) {
    if (!is_of_run(files->path, NULL))
      return cannot_write(files, "it exists and is not a profile by mprof",
                          error);
    if (unlink(files->path) != 0)
      return cannot_write(files, strerror(errno), error);
  }
  return list_others(files, remains, error);
}

/* ---- afterwards -------------------------------------------------------- */

/* What was counted, over all files. */
struct sums {
  uint64_t allocs, bytes, kept;
  uint64_t lost; /* of what was kept, if that ... */
  bool sought;   /* ... was asked for */
  size_t files;  /* beside FILE */
  bool ecl;      /* is part of a program */
};

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

/* Finishes PATH, which stands for the process PROCESS unless that is NULL.
 * Sets *LEFT to whether there is one then: a process that has counted nothing
 * leaves none. */
static bool
finish_file(char *path, const char *process, struct code_names *names,
            struct sums *sums, bool *left, struct mprof_error *error)
{
  struct profile profile = {0};
  *left = false;
  if (!is_complete(path))
    return true;
  char comment[NAME_MAX + 32];
  struct input_name name = {.path = path};
  const struct input_list list = {.files = &name, .count = 1};
  bool good = profile_load_list(&profile, &list, true, names, NULL, error);
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

/* Finishes all files that are new since OLD was listed.  Sets *ROOT to whether
 * FILE is there. */
static bool
finish_files(const struct profile_files *old, struct sums *sums, bool *root,
             struct mprof_error *error)
{
  struct profile_files files = {.name = old->name};
  struct code_names names = {0};
  char path[PATH_MAX];
  memcpy(files.path, old->path, sizeof files.path);
  bool left;
  bool good = finish_file(files.path, NULL, &names, sums, root, error) &&
              list_others(&files, NULL, error);
  for (size_t i = 0; good && i < files.count; i++) {
    const char *name = files.others[i]->d_name;
    path_of_other(&files, name, path);
    const char *suffix = suffix_of(&files, name);
    if (!has_other(old, name))
      good = finish_file(path, suffix, &names, sums, &left, error);
  }
  code_names_release(&names);
  release_files(&files);
  return good;
}

#define UNSEEN "Lisp objects, which --pid cannot see"
/* Makes OUTCOME say why there is no FILE of the program NAME. */
static void
say_nothing_written(const struct options *options, const struct sums *sums,
                    struct outcome *outcome)
{
  const size_t process = options->run.process;
  const char *name = process == SIZE_MAX ? options->files[0] : NULL;
  const char *only = options->run.only;
  const char *reason = name == NULL ? NULL : unmonitored_reason(name);
  char others[64] = "";
  if (sums->files > 0)
    snprintf(others, sizeof others, "; %zu of its processes wrote %s",
             sums->files, sums->files == 1 ? "a file" : "files");
  if (name == NULL)
    mprof_line(outcome->remark,
               "no profile of process %zu was written: it allocated nothing%s"
               " while it was profiled, or it was killed",
               process, sums->ecl ? " but " UNSEEN "," : "");
  else if (only != NULL && *only != '\0')
    mprof_line(outcome->remark,
               "no profile was written: no program named '%s' allocated "
               "anything, or a line above says why",
               only);
  else /* the monitor itself has said what went wrong, such as a full disk */
    mprof_line(outcome->remark, "no profile of '%s' was written: %s%s", name,
               reason != NULL
                   ? reason
                   : "it allocated nothing, or a line above says why",
               others);
}

/* Makes OUTCOME say what was written to the file NAME, if that is there, and
 * others. */
static void
say_written(const char *name, bool root, const struct run_options *run,
            const struct sums *sums, struct outcome *outcome)
{
  const bool others = sums->files > 0;
  const char *quote = root ? "'" : "";
  char files[64] = "";
  char lost[64] = "";
  if (sums->sought)
    snprintf(lost, sizeof lost, ", %" PRIu64 " of these lost", sums->lost);
  if (others)
    snprintf(files, sizeof files, "%s%zu %sfile%s of its processes",
             root ? " and " : "", sums->files, root ? "more " : "",
             sums->files == 1 ? "" : "s");
  mprof_line(
      outcome->remark,
      "wrote %s%s%s%s: %" PRIu64 " allocations, %" PRIu64 " bytes, %" PRIu64
      " of them kept%s%s; see: mprof report %s%s%s%s",
      quote, root ? name : "", quote, files, sums->allocs, sums->bytes,
      sums->kept, lost,
      !sums->ecl                 ? ""
      : run->process != SIZE_MAX ? ", without " UNSEEN
                                 : ", without Lisp objects (profile these in "
                                   "Lisp, with (require :mprof))",
      root ? name : "", root && others ? " " : "", others ? name : "",
      others ? ".[0-9]*" : "");
}

bool
run_monitored(const struct options *options, struct sink *sink,
              struct outcome *outcome)
{
  struct profile_files files = {0};
  struct mprof_error unfinished;
  struct sums sums = {.ecl = attach_sees_ecl(options)};
  const char *name = options->output == NULL ? "mprof.data" : options->output;
  bool root = false;
  const bool runs = options->run.process != SIZE_MAX;
  bool good = (runs ? attach_check(options, outcome)
                    : program_exists(options, outcome)) &&
              set_path(&files, name, &outcome->error) &&
              remove_old(&files, &outcome->error) &&
              watch_run(options, files.path, sink, outcome); /* its output */
  mprof_error_clear(&unfinished);
  if (good && !finish_files(&files, &sums, &root, &unfinished))
    mprof_line(outcome->remark, "%s", unfinished.message);
  else if (good && !root && (options->run.only == NULL || sums.files == 0))
    say_nothing_written(options, &sums, outcome);
  else if (good && !options->run.quiet)
    say_written(name, root, &options->run, &sums, outcome);
  release_files(&files);
  return good;
}
