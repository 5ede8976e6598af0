/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_path.c -- a table by open addressing; a path is its place there.
 */
#include "call_path.h"

int
call_paths_init(struct call_paths *paths)
{
  paths->count = 0;
  if (arena_reserve(&paths->arena, CALL_PATHS * sizeof *paths->paths) != 0)
    return -1;
  paths->paths = paths->arena.base;
  return 0;
}

void
call_paths_release(struct call_paths *paths)
{
  arena_release(&paths->arena);
}

/* One place in four stays free, so that a search ends soon; and place 0. */
uint32_t
call_path_child(struct call_paths *paths, uint32_t parent, uint64_t site,
                bool add)
{
  const uint64_t hash = (site + parent) * 0x9E3779B97F4A7C15ULL;
  uint32_t i = (uint32_t)(hash >> 32) % CALL_PATHS;
  struct call_path *p;
  while ((p = &paths->paths[i])->site != 0 || i == 0) {
    if (p->site == site && p->parent == parent)
      return i;
    i = (i + 1) % CALL_PATHS;
  }
  if (!add || paths->count >= CALL_PATHS / 4 * 3)
    return 0;
  paths->count++;
  *p = (struct call_path){ site, parent, paths->paths[parent].depth + 1 };
  return i;
}
