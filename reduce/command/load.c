/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files are read one after the other into one profile, be they images or in
 * pprof's format.  Folders are read whole and sorted; nothing is opened that
 * is not asked for.
 */

#include "command/load.h"

#include "base/pool.h"
#include "base/sink.h"
#include "images/recover.h"
#include "profile/reader.h"
#include "profile/writer.h"
#include "symbols/symbolize.h"
#include "tables/output.h"
#include "tables/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which files ------------------------------------------------------- */

/* Byte by byte, whatever the locale. */
static int
compare_files(const void *left, const void *right)
{
  const struct input_name *a = left, *b = right;
  return strcmp(a->path, b->path);
}

static void
add_folder(struct input_list *list, const char *folder)
{
  const char *slash = file_ending(folder, "/ ") > 0 ? "" : "/";
  const struct dirent *entry;
  const size_t first = list->count;
  DIR *entries = input_folder(folder);
  if (entries == NULL)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, folder,
              "cannot open '%s': %s", folder, strerror(errno));
  while ((entry = readdir(entries)) != NULL) {
    struct stat status;
    const char *path = pool_format("%s%s%s", folder, slash, entry->d_name);
    if (entry->d_name[0] != '.' &&
        file_ending(entry->d_name, ".data .pb.gz ") > 0 &&
        (stat(path, &status) != 0 || S_ISREG(status.st_mode)))
      ARRAY_PUSH(list->files, list->count, list->capacity,
                 (struct input_name){.path = path, .folder = folder});
  }
  pool_release_now(entries);
  array_sort(list->files + first, list->count - first, sizeof *list->files,
             compare_files);
  if (list->count == first)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, folder,
              "no profile in the folder '%s': no file name ends in .data or "
              ".pb.gz",
              folder);
}

void
input_list_fill(struct input_list *list, const char *const *names,
                size_t count)
{
  static const char *const usual = "mprof.data";
  struct stat status;
  if (count == 0)
    input_list_fill(list, &usual, 1);
  for (size_t i = 0; i < count; i++)
    if (stat(names[i], &status) == 0 && S_ISDIR(status.st_mode))
      add_folder(list, names[i]);
    else
      ARRAY_PUSH(list->files, list->count, list->capacity,
                 (struct input_name){.path = names[i]});
}

/* ---- what is in them --------------------------------------------------- */

void
profile_load_list(struct profile *profile, const struct input_list *list,
                  bool lossless, struct code_names *names)
{
  struct progress *const listener = progress_listener;
  struct scratch *scratch = scratch_begin(); /* closes the files of code */
  struct code_names own = {.pool = &scratch->pool};
  pool_use(scratch->outer);
  if (names == NULL)
    names = &own;
  profile_init(profile);
  for (size_t i = 0; i < list->count; i++) {
    const struct input_name *name = &list->files[i];
    struct reader_options options = name->options;
    options.lossless = lossless;
    options.first_path = list->files[0].path;
    if (listener != NULL && list->count > 1) {
      progress_listener = listener;
      progress_tell("reading files", i, list->count);
      progress_listener = NULL; /* not of each file */
    }
    if (!recover_image(profile, name->path, names, &options))
      profile_read(profile, name->path, &options);
  }
  if (listener != NULL)
    progress_listener = listener;
  if (lossless)
    profile_fold_samples(profile);
  symbolize(names, profile);
  profile_settle(profile);
  scratch_end(scratch);
}

void
profile_load(struct profile *profile, const char *const *names, size_t count)
{
  struct input_list list = {0};
  input_list_fill(&list, names, count);
  profile_load_list(profile, &list, false, NULL);
}

void
profile_save(const struct profile *profile, const char *path, bool sync)
{
  struct sink *sink = output_file_open(path);
  profile_write(profile, false, sink);
  output_file_close(sink, sync);
}
