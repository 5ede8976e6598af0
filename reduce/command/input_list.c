/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders are read whole and sorted; nothing is opened that is not asked
 * for.
 */

#include "command/load.h"

#include "base/array.h"
#include "common/image_format.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends PATH, which becomes the list's; frees it on failure. */
static bool
append(struct input_list *list, char *path, const char *folder,
       struct mprof_error *error)
{
  if (path != NULL && ARRAY_PUSH(list->files, list->count, list->capacity,
                                 (struct input_name){.path = path,
                                                     .folder = folder}))
    return true;
  pool_free(path);
  return mprof_error_memory(error);
}

static bool
ends_in(const char *name, const char *ending)
{
  size_t length = strlen(name);
  size_t ending_length = strlen(ending);
  return length > ending_length &&
         strcmp(name + length - ending_length, ending) == 0;
}

static int
is_profile_name(const struct dirent *entry)
{
  return entry->d_name[0] != '.' && (ends_in(entry->d_name, ".data") ||
                                     ends_in(entry->d_name, ".pb.gz"));
}

/* Byte by byte, whatever the locale. */
static int
compare_names(const struct dirent **left, const struct dirent **right)
{
  return strcmp((*left)->d_name, (*right)->d_name);
}

/* Appends FOLDER/NAME unless that is no regular file. */
static bool
append_entry(struct input_list *list, const char *folder, const char *name,
             struct mprof_error *error)
{
  struct stat status;
  char *path =
      pool_format("%s%s%s", folder, ends_in(folder, "/") ? "" : "/", name);
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
    return append(list, path, folder, error);
  pool_free(path);
  return true;
}

static bool
add_folder(struct input_list *list, const char *folder,
           struct mprof_error *error)
{
  struct dirent **entries;
  size_t first = list->count;
  int count = scandir(folder, &entries, is_profile_name, compare_names);
  if (count < 0)
    return mprof_fail(error, MPROF_CANNOT_READ, "cannot open '%s': %s",
                      folder, strerror(errno));
  bool good = true;
  for (int i = 0; i < count; i++) {
    append_entry(list, folder, entries[i]->d_name, error);
    free(entries[i]);
  }
  free(entries);
  return good &&
         (list->count > first ||
          mprof_fail(error, MPROF_CANNOT_READ,
                     "no profile in the folder '%s': no file name ends in "
                     ".data or .pb.gz",
                     folder));
}

static bool
add(struct input_list *list, const char *name, struct mprof_error *error)
{
  struct stat status;
  return stat(name, &status) == 0 && S_ISDIR(status.st_mode)
             ? add_folder(list, name, error)
             : append(list, pool_text(name), NULL, error);
}

bool
input_list_fill(struct input_list *list, const char *const *names,
                size_t count, struct mprof_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (!add(list, names[i], error))
      return false;
  return count > 0 || add(list, "mprof.data", error);
}

void
input_list_release(struct input_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    pool_free(list->files[i].path);
  pool_free(list->files);
  memset(list, 0, sizeof *list);
}
