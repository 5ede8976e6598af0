/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_path.c -- see known_path.h.
 */
#include "hook/known_path.h"

/* No function here is ever in a chain: it needs no frame of its own. */
#pragma GCC optimize("omit-frame-pointer", "optimize-sibling-calls")

/* Of the paths that are found elsewhere than at their first place, one of so
 * many is put there.  What a program did in the beginning is often done no
 * more, but of two paths that it takes in turns either may stay. */
enum { PROMOTE_EVERY = 8 };

int
known_paths_init(struct known_paths *paths)
{
  if (arena_reserve(&paths->arena, PATHS * (sizeof *paths->paths +
                                            sizeof *paths->leaves)) != 0)
    return -1;
  paths->paths = paths->arena.base;
  paths->leaves = (struct known_leaf *)(void *)(paths->paths + PATHS);
  return 0;
}

void
known_paths_forget(struct known_paths *paths)
{
  for (size_t i = 0; i < PATHS; i++)
    paths->paths[i].site = paths->leaves[i].site = 0;
}

/* Where a path is that has `value' where the one at `place' has something
 * else. */
static inline uint32_t
next_place(uint32_t place, uint64_t value)
{
  return (uint32_t)(((value ^ (uint64_t)place << 48) *
                     UINT64_C(0x9E3779B97F4A7C15)) >>
                    32) %
         PATHS;
}

struct known_path *
known_path_find(struct known_paths *paths, const struct stack_walk *walk,
                uintptr_t allocator, const struct path_frame **end)
{
  const uintptr_t site = *frame_return_slot(allocator);
  const uint32_t first = known_path_place(allocator);
  uint32_t place = first;
  for (paths->misses = 0; paths->misses < PATH_PROBES;) {
    struct known_path *const p = &paths->paths[place];
    uint64_t differs;
    paths->missed[paths->misses++] = place;
    if (p->site == 0)
      break;
    if (p->site != site) {
      place = (place + 1) % PATHS;
    } else if ((*end = known_path_end(p, walk, allocator, &differs,
                                      false)) == NULL) {
      place = next_place(place, differs);
    } else if (paths->turn++ % PROMOTE_EVERY != 0) {
      return p;
    } else {
      paths->paths[first] = *p;
      *end += paths->paths[first].frame - p->frame;
      return &paths->paths[first];
    }
  }
  return NULL;
}

/* The I-th frame of the walk, as one of a path.  False when it cannot be. */
static bool
make_frame(struct path_frame *to, const struct stack_walk *walk,
           const struct context_tree *tree, size_t i)
{
  const struct walked_frame *w = &walk->frames[i];
  if (!w->layout.fixed)
    return false;
  *to = (struct path_frame){
    .word = w->word == NULL ? PATH_NO_WORD : walk->epoch | w->up,
    .activations = i == 0 ? NULL : &tree->contexts[w->context].activations,
    .returns_to = i == walk->count - 1 ? 0 : w->returns_to,
    .word_at = w->word == NULL ? 0
                               : (uint16_t)(w->pointer - (uintptr_t)w->word),
    .saved = w->layout.saved,
    .distance = w->layout.distance | w->layout.by_pointer
  };
  return true;
}

struct known_path *
known_path_keep(struct known_paths *paths, const struct stack_walk *walk,
                const struct context_tree *tree, uintptr_t allocator)
{
  struct known_path *p = &paths->paths[paths->missed[paths->misses - 1]];
  if (!walk->known || walk->count > PATH_FRAMES)
    return NULL;
  if (p->site != 0)
    p = &paths->paths[paths->missed[paths->turn++ % paths->misses]];
  p->site = 0;
  p->plain = true;
  for (size_t i = 0; i < walk->count; i++) {
    if (!make_frame(&p->frame[i], walk, tree, i))
      return NULL;
    p->plain &= p->frame[i].distance == 0;
  }
  p->site = *frame_return_slot(allocator);
  p->kind = 0; /* no object is of it */
  p->up = walk->frames[0].up;
  return p;
}
