/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths of named regions: the names from the outermost region inward, with
 * ";" between them; in a name that and the backslash stand behind a
 * backslash.
 */

#ifndef MPROF_REGION_PATH_H
#define MPROF_REGION_PATH_H

#include <stddef.h>

/* The length of the path of the region around the one whose path the first
 * LENGTH bytes of PATH are; 0 when there is none. */
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

#endif
