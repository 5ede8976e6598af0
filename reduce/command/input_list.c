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

static void
append(struct input_list *list, const char *path, const char *folder)
{
  ARRAY_PUSH(list->files, list->count, list->capacity,
             (struct input_name){.path = path, .folder = folder});
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
static void
append_entry(struct input_list *list, const char *folder, const char *name)
{
  struct stat status;
  const char *path =
      pool_format("%s%s%s", folder, ends_in(folder, "/") ? "" : "/", name);
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
    append(list, path, folder);
}

struct entries {
  struct dirent **items;
  int count;
};

static void
free_entries(void *what)
{
  struct entries *entries = what;
  for (int i = 0; i < entries->count; i++)
    free(entries->items[i]);
  free(entries->items);
}

static void
add_folder(struct input_list *list, const char *folder)
{
  struct entries *entries = pool_zeroed(1, sizeof *entries);
  size_t first = list->count;
  entries->count =
      scandir(folder, &entries->items, is_profile_name, compare_names);
  if (entries->count < 0)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, folder,
              "cannot open '%s': %s", folder, strerror(errno));
  pool_on_release(free_entries, entries);
  for (int i = 0; i < entries->count; i++)
    append_entry(list, folder, entries->items[i]->d_name);
  if (list->count == first)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, folder,
              "no profile in the folder '%s': no file name ends in .data or "
              ".pb.gz",
              folder);
}

static void
add(struct input_list *list, const char *name)
{
  struct stat status;
  if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
    add_folder(list, name);
  else
    append(list, name, NULL);
}

void
input_list_fill(struct input_list *list, const char *const *names,
                size_t count)
{
  for (size_t i = 0; i < count; i++)
    add(list, names[i]);
  if (count == 0)
    add(list, "mprof.data");
}
