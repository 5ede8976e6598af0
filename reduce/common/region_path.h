/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths of named regions: the names from the outermost region inward, with
 * ";" between them; in a name that and the backslash stand behind a
 * backslash.  A label is a region that is called KEY=VALUE.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the length of the path of the region around the one whose path the
 * first LENGTH bytes of PATH are; 0 when there is none. */
static inline size_t
region_path_outer(const char *path, size_t length)
{
  size_t outer = 0;
  for (size_t i = 0; i < length; i++) {
    if (path[i] == ';')
      outer = i;
    else if (path[i] == '\\')
      i++;
  }
  return outer;
}

/* Returns whether PATH is that of the objects of a pool, which no thread is
 * in: its innermost name is pool=NAME. */
static inline bool
region_path_is_pool(const char *path)
{
  const size_t outer = region_path_outer(path, strlen(path));
  return strncmp(path + outer + (path[outer] == ';'), "pool=", 5) == 0;
}

/* Returns true if PATH is in a region with the label KEY, and sets *LABEL, in
 * PATH, and *LENGTH to the innermost such label, KEY=VALUE.  They are
 * undefined otherwise. */
static inline bool
region_path_label(const char *path, const char *key, const char **label,
                  size_t *length)
{
  const size_t key_length = strlen(key);
  for (size_t end = strlen(path), outer; end > 0; end = outer) {
    outer = region_path_outer(path, end);
    *label = path + outer + (path[outer] == ';');
    *length = (size_t)(path + end - *label);
    if (*length > key_length && memcmp(*label, key, key_length) == 0 &&
        (*label)[key_length] == '=')
      return true;
  }
  return false;
}
