/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders are read whole and sorted; nothing is opened that is not asked
 * for.
 */

#include "io/input_list.h"

#include "profile/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char default_file[] = "mprof.data";

/* Appends PATH, which becomes the list's; frees it on failure. */
static bool
append(struct input_list *list, char *path, const char *folder,
       struct mprof_error *error)
{
  struct input_name *files = array_reserve(list->files, &list->capacity,
                                           list->count + 1, sizeof *files);
  if (path == NULL || files == NULL) {
    free(path);
    if (files != NULL)
      list->files = files;
    return mprof_error_memory(error);
  }
  list->files = files;
  files[list->count++] = (struct input_name){.path = path, .folder = folder};
  return true;
}

bool
input_list_add_octets(struct input_list *list, const char *name,
                      struct input_octets octets, struct mprof_error *error)
{
  if (!append(list, strdup(name), NULL, error)) {
    free(octets.data);
    return false;
  }
  list->files[list->count - 1].octets = octets;
  return true;
}

bool
input_list_load(struct input_list *list, struct mprof_error *error)
{
  for (size_t i = 0; i < list->count; i++)
    if (!input_octets_read(&list->files[i].octets, list->files[i].path,
                           error))
      return false;
  return true;
}

static bool
ends_in(const char *name, const char *ending)
{
  size_t length = strlen(name);
  size_t ending_length = strlen(ending);
  return length > ending_length &&
         strcmp(name + length - ending_length, ending) == 0;
}

static bool
is_profile_name(const char *name)
{
  return name[0] != '.' &&
         (ends_in(name, ".data") || ends_in(name, ".pb.gz"));
}

static bool
is_folder(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* FOLDER/NAME; NULL when memory runs out. */
static char *
join(const char *folder, const char *name)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s%s%s", folder, ends_in(folder, "/") ? "" : "/",
             name);
  return path;
}

/* By path. */
static int
compare_files(const void *left, const void *right)
{
  const struct input_name *a = left;
  const struct input_name *b = right;
  return strcmp(a->path, b->path);
}

/* Appends the profiles among the entries of DIRECTORY. */
static bool
append_entries(struct input_list *list, DIR *directory, const char *folder,
               struct mprof_error *error)
{
  const struct dirent *entry;
  while (errno = 0, (entry = readdir(directory)) != NULL) {
    if (!is_profile_name(entry->d_name))
      continue;
    char *path = join(folder, entry->d_name);
    struct stat status;
    if (path != NULL && stat(path, &status) == 0 && !S_ISREG(status.st_mode))
      free(path);
    else if (!append(list, path, folder, error))
      return false;
  }
  return errno == 0 ||
         mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                         "cannot read '%s': %s", folder, strerror(errno));
}

static bool
add_folder(struct input_list *list, const char *folder,
           struct mprof_error *error)
{
  size_t first = list->count;
  DIR *directory = opendir(folder);
  if (directory == NULL)
    return mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "cannot open '%s': %s", folder, strerror(errno));
  bool good = append_entries(list, directory, folder, error);
  closedir(directory);
  if (!good)
    return false;
  if (list->count == first)
    return mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "no profile in the folder '%s': none of its files "
                           "ends in .data or .pb.gz",
                           folder);
  array_sort(list->files + first, list->count - first, sizeof *list->files,
             compare_files);
  return true;
}

bool
input_list_add(struct input_list *list, const char *name,
               struct mprof_error *error)
{
  return is_folder(name) ? add_folder(list, name, error)
                         : append(list, strdup(name), NULL, error);
}

bool
input_list_fill(struct input_list *list, const char *const *names,
                size_t count, struct mprof_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (!input_list_add(list, names[i], error))
      return false;
  return count > 0 || input_list_add(list, default_file, error);
}

void
input_list_release(struct input_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    free(list->files[i].path);
    free(list->files[i].octets.data);
  }
  free(list->files);
  memset(list, 0, sizeof *list);
}
