/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files are read one after the other into one profile, be they images or in
 * pprof's format.
 */

#include "command/load.h"

#include "base/array.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "pprof/reader.h"
#include "pprof/writer.h"
#include "recover/recover.h"
#include "symbols/symbolize.h"
#include "tables/scratch.h"

#include <unistd.h>

/* Adds the file NAME, or what would be in it. */
static void
read_file(struct profile *profile, const struct input_name *name,
          struct code_names *code, const struct reader_options *options)
{
  struct image_head head;
  bool image = options->octets.data != NULL
                   ? image_is_octets(options->octets)
                   : image_read_head(name->path, &head);
  if (image)
    recover_image(profile, name->path, name->losses, name->timeline, code,
                  options);
  else
    profile_read(profile, name->path, options);
}

void
profile_load_list(struct profile *profile, const struct input_list *list,
                  bool lossless, struct code_names *names)
{
  struct reader_options options = {
      .lossless = lossless,
      .first_path = list->files[0].path,
  };
  struct progress *const listener = progress_listener;
  struct scratch *scratch = scratch_begin(); /* closes the files of code */
  struct code_names own = {.pool = &scratch->pool};
  pool_use(scratch->outer);
  if (names == NULL)
    names = &own;
  profile_init(profile);
  for (size_t i = 0; i < list->count; i++) {
    options.octets = list->files[i].octets;
    if (listener != NULL && list->count > 1) {
      progress_listener = listener;
      progress_tell("reading files", i, list->count);
      progress_listener = NULL; /* not of each file */
    }
    read_file(profile, &list->files[i], names, &options);
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
profile_load_octets(struct profile *profile, struct input_octets octets,
                    const struct timeline *timeline)
{
  struct input_name name = {
      .path = "memory", .octets = octets, .timeline = timeline};
  const struct input_list list = {.files = &name, .count = 1};
  profile_load_list(profile, &list, false, NULL);
}

void
profile_load(struct profile *profile, const char *const *names, size_t count)
{
  struct input_list list = {0};
  input_list_fill(&list, names, count);
  profile_load_list(profile, &list, false, NULL);
}

void
profile_load_joined(struct profile *profile, const char *operand)
{
  char *rest = pool_text(operand);
  const char **files = pool_zeroed(strlen(operand) + 1, sizeof *files);
  size_t count = 0;
  if (access(operand, F_OK) == 0)
    files[count++] = operand;
  else
    while (rest != NULL)
      files[count++] = strsep(&rest, ",");
  profile_load(profile, files, count);
}

void
profile_save(const struct profile *profile, const char *path, bool sync)
{
  struct output_file *file = output_file_open(path);
  file->unsynced = !sync;
  profile_write(profile, false, &file->sink);
  output_file_close(file);
}
