/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof merge: reads all files, then writes one.  The file that is written
 * may be one of those that are named, as in "merge -o all.data all.data
 * new.data"; but not one that only its folder names, since each run would
 * then count the last one's sums again.
 */

#include "command/command.h"

#include "base/input_list.h"
#include "base/progress.h"
#include "command/load.h"

#include <sys/stat.h>

/* Whether OUTPUT is no file of a folder of LIST. */
static bool
check_output(const struct input_list *list, const char *output,
             struct mprof_error *error)
{
  struct stat written;
  struct stat read;
  if (stat(output, &written) != 0)
    return true;
  for (size_t i = 0; i < list->count; i++)
    if (list->files[i].folder != NULL &&
        stat(list->files[i].path, &read) == 0 &&
        read.st_dev == written.st_dev && read.st_ino == written.st_ino)
      return mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                             "cannot write '%s': it is one of the files in "
                             "the folder '%s' that would be merged",
                             output, list->files[i].folder);
  return true;
}

bool
run_merge(const struct options *options, struct sink *sink,
          struct outcome *outcome)
{
  struct mprof_error *error = &outcome->error;
  struct input_list list = {0};
  struct profile profile = {0};
  (void)sink; /* all goes to the file */
  if (options->open != NULL)
    return profile_save(options->open->profile, options->output, error);
  bool good =
      input_list_fill(&list, options->files, options->file_count, error) &&
      check_output(&list, options->output, error) &&
      profile_load_list(&profile, &list, true, options->progress, error);
  progress_tell(options->progress, "writing", 0, 0);
  good = good && profile_save(&profile, options->output, error);
  profile_release(&profile);
  input_list_release(&list);
  return good;
}
