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

#include <unistd.h>

/* Does what needs the whole profile. */
static bool
finish(struct code_names *names, struct profile *profile,
       struct mprof_error *error)
{
  struct code_names own = {0};
  bool good = symbolize(names == NULL ? &own : names, profile, error) &&
              (profile_settle(profile) || mprof_error_memory(error));
  code_names_release(&own);
  return good;
}

/* Adds the file PATH, or what would be in one. */
static bool
read_file(struct profile *profile, const struct input_name *name,
          const struct reader_options *options, struct mprof_error *error)
{
  struct image_head head;
  bool image = options->octets.data != NULL
                   ? image_is_octets(options->octets)
                   : image_read_head(name->path, &head);
  return image ? recover_image(profile, name->path, name->losses, options,
                               error)
               : profile_read(profile, name->path, options, error);
}

bool
profile_load_list(struct profile *profile, const struct input_list *list,
                  bool lossless, struct code_names *names,
                  struct progress *progress, struct mprof_error *error)
{
  struct reader_options options = {
      .limits = &input_limits_default,
      .progress = list->count == 1 ? progress : NULL,
      .lossless = lossless,
      .heap = list->heap,
      .first_path = list->files[0].path,
  };
  bool good = profile_init(profile) || mprof_error_memory(error);
  for (size_t i = 0; good && i < list->count; i++) {
    options.octets = list->files[i].octets;
    progress_tell(progress, "reading files", i, list->count);
    good = read_file(profile, &list->files[i], &options, error);
  }
  good = good && (!lossless || profile_fold_samples(profile, error));
  return good && finish(names, profile, error);
}

bool
profile_load_octets(struct profile *profile, struct input_octets octets,
                    bool lossless, struct code_names *names,
                    struct mprof_error *error)
{
  char path[] = "memory";
  struct input_name name = {.path = path, .octets = octets};
  const struct input_list list = {.files = &name, .count = 1};
  return profile_load_list(profile, &list, lossless, names, NULL, error);
}

bool
profile_load(struct profile *profile, const char *const *names, size_t count,
             enum heap heap, struct progress *progress,
             struct mprof_error *error)
{
  struct input_list list = {.heap = heap};
  memset(profile, 0, sizeof *profile);
  bool good = input_list_fill(&list, names, count, error) &&
              profile_load_list(profile, &list, false, NULL, progress, error);
  input_list_release(&list);
  return good;
}

bool
profile_load_joined(struct profile *profile, const char *operand,
                    enum heap heap, struct progress *progress,
                    struct mprof_error *error)
{
  char *copy = strdup(operand);
  char *rest = copy;
  const char **files = array_zeroed(strlen(operand) + 1, sizeof *files);
  size_t count = 0;
  bool good = copy != NULL && files != NULL;
  if (good && access(operand, F_OK) == 0)
    files[count++] = operand;
  else
    while (good && rest != NULL)
      files[count++] = strsep(&rest, ",");
  good = good ? profile_load(profile, files, count, heap, progress, error)
              : mprof_error_memory(error);
  free(files);
  free(copy);
  return good;
}

bool
profile_save(const struct profile *profile, const char *path, bool sync,
             struct mprof_error *error)
{
  struct output_file file;
  if (!output_file_open(&file, path, error))
    return false;
  file.unsynced = !sync;
  profile_write(profile, false, &file.sink);
  return output_file_close(&file, true, error);
}
