/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_path.h -- calls that come once, one in the other.
 *
 * Model.  When a function makes a call at a place that it cannot come to
 * again (first_object.h), that call is told by the place and by the
 * activation that makes it; and so is the frame of the called function.  So
 * frames need no marks of their own, as long as a marked one is outward of
 * them and all calls between are of that kind: a *path* from the mark, which
 * is the return addresses of these calls.  The mark remembers the last path on
 * which frames were counted.  Whoever walks there again compares: frames on
 * the part that both have in common were counted, the others are new.  (If
 * the paths part at some place, the calls beyond it on the old one have
 * returned, and will never come again.)
 *
 * Paths are numbers, so that equal ones are the same number, and 0 is the
 * empty one.  They are never forgotten; when the table is full there are no
 * new ones.  One owner; all of it may run inside the hook.
 */
#ifndef MPROF_CALL_PATH_H
#define MPROF_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "tree/arena.h"
#include "tree/sizes.h"

enum {
  CALL_PATHS = SIZE_CALL_PATHS, /* a power of 2 */
  CALL_PATH_DEPTH = 3 /* calls at most: each walk goes along the path again */
};

struct call_paths {
  struct call_path {
    uint64_t site; /* 0: none */
    uint32_t parent, depth;
  } *paths;
  uint32_t count;
  struct arena arena;
};

int call_paths_init(struct call_paths *paths);
void call_paths_release(struct call_paths *paths);

/* The path that goes on from `parent' by the call at `site'; 0 when there is
 * none, and no room for it if `add'. */
uint32_t call_path_child(struct call_paths *paths, uint32_t parent,
                         uint64_t site, bool add);

/* How many calls two paths have in common. */
static inline uint32_t
call_path_common(const struct call_paths *paths, uint32_t a, uint32_t b)
{
  while (a != b) {
    if (paths->paths[a].depth >= paths->paths[b].depth)
      a = paths->paths[a].parent;
    else
      b = paths->paths[b].parent;
  }
  return paths->paths[a].depth;
}

#endif
