/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_path.c -- see known_path.h.
 */
#include "hook/known_path.h"

/* No word holds it, nor does a frame pointer. */
#define NO_WORD UINT64_C(1)

static int
make_tables(struct known_paths *paths, uint32_t places)
{
  const size_t leaves_bytes = places * sizeof *paths->leaves;
  struct arena arena;
  if (arena_reserve(&arena, leaves_bytes + places * sizeof *paths->paths) !=
      0)
    return -1;
  arena_release(&paths->arena);
  paths->arena = arena;
  paths->leaves = arena.base;
  paths->paths = (void *)((char *)arena.base + leaves_bytes);
  paths->mask = places - 1;
  paths->kept = 0;
  return 0;
}

int
known_paths_init(struct known_paths *paths)
{
  return make_tables(paths, SIZE_FIRST_PATHS);
}

void
known_paths_release(struct known_paths *paths)
{
  arena_release(&paths->arena);
}

/* Longer tables, with nothing in them, when they are getting full. */
static void
grow(struct known_paths *paths)
{
  if (++paths->kept > paths->mask / 4 && paths->mask < SIZE_KNOWN_PATHS - 1)
    make_tables(paths, (paths->mask + 1) * 4);
}

/* What was never used is only read: it takes no memory so. */
void
known_paths_forget(struct known_paths *paths)
{
  for (size_t i = 0; i <= paths->mask; i++) {
    if (paths->paths[i].innermost.ip != 0)
      paths->paths[i].innermost.ip = 0;
    if (paths->leaves[i].site != 0)
      paths->leaves[i].site = 0;
  }
}

/* True one time in `times', by chance: no rhythm of the program meets it. */
static bool
one_time_in(struct known_paths *paths, uint32_t times)
{
  paths->chance = paths->chance * 1664525 + 1013904223;
  return paths->chance < UINT32_MAX / times;
}

static struct known_path *
beside(struct known_paths *paths, struct known_path *path)
{
  return paths->paths + ((size_t)(path - paths->paths) ^ 1);
}

/* What a program did in the beginning is often done no more: so a path comes
 * to its first place in time.  But of two paths that it takes in turns either
 * may stay. */
struct known_path *
known_path_find(struct known_paths *paths, uintptr_t allocator,
                const struct path_frame **end)
{
  struct known_path *const first = known_path_place(paths, allocator);
  struct known_path *const second = beside(paths, first);
  *end = known_path_end(second, allocator, false);
  if (*end == NULL)
    return NULL;
  if (one_time_in(paths, 8)) {
    const struct known_path path = *first;
    *first = *second;
    *second = path;
    *end += first->frame - second->frame;
    return first;
  }
  return second;
}

/* Can it be kept? */
static bool
is_fixed(const struct stack_walk *walk)
{
  if (!walk->known || walk->count > PATH_FRAMES)
    return false;
  for (size_t i = 0; i < walk->count; i++)
    if (walk->frames[i].site.kind == CALL_INTERPRETER ||
        walk->frames[i].site.kind == CALL_ELSEWHERE)
      return false;
  return true;
}

/* Of the paths of a program that hardly takes one twice not all are kept. */
struct known_path *
known_path_keep(struct known_paths *paths, const struct stack_walk *walk,
                const struct context_tree *tree,
                const struct innermost_frame *innermost, uintptr_t allocator)
{
  const struct walked_frame *const f = walk->frames;
  const size_t count = walk->count;
  struct known_path *path;
  if (!one_time_in(paths, 2) || !is_fixed(walk))
    return NULL;
  grow(paths);
  path = known_path_place(paths, allocator);
  if (path->innermost.ip != 0)
    *beside(paths, path) = *path;
  path->innermost = *innermost;
  path->kind = 0; /* no object is of it */
  path->plain = true;
  for (size_t i = 0; i < count; i++) {
    const struct call_site *const s = &f[i].site;
    path->plain &= s->kind == CALL_FRAME;
    path->frame[i] = (struct path_frame){
        .word = f[i].word == NULL ? NO_WORD : *f[i].word,
        .activations = &tree->contexts[f[i].context].activations,
        .returns_to = i == count - 1 ? 0 : f[i + 1].site.ip,
        .word_at = s->word_at,
        .saved = s->saved,
        .kind = s->kind};
  }
  return path;
}
