/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_path.c -- see known_path.h.
 */
#include "hook/known_path.h"

/* No word holds it, nor does a frame pointer. */
#define NO_WORD UINT64_C(1)

struct known_paths *
known_paths_init(struct arena *arena)
{
  return arena_reserve(arena, sizeof(struct known_paths)) == 0 ? arena->base
                                                               : NULL;
}

void
known_paths_forget(struct known_paths *paths)
{
  for (size_t i = 0; i < PATHS; i++)
    paths->paths[i].innermost.site = paths->leaves[i].site = 0;
}

bool
known_path_keep(struct known_path *path, const struct stack_walk *walk,
                const struct context_tree *tree,
                const struct innermost_frame *innermost)
{
  const struct walked_frame *const f = walk->frames;
  const size_t count = walk->count;
  path->innermost.site = 0;
  if (!walk->known || count > PATH_FRAMES)
    return false;
  path->plain = true;
  for (size_t i = 0; i < count; i++) {
    const struct call_site *const s = &f[i].site;
    if (s->kind == CALL_INTERPRETER || s->kind == CALL_ELSEWHERE)
      return false;
    path->plain &= s->kind == CALL_FRAME;
    path->frame[i] = (struct path_frame){
        .word = f[i].word == NULL ? NO_WORD : *f[i].word,
        .activations = &tree->contexts[f[i].context].activations,
        .returns_to = i == count - 1 ? 0 : f[i + 1].site.ip,
        .word_at = s->word_at,
        .saved = s->saved,
        .kind = s->kind};
  }
  path->innermost = *innermost;
  return true;
}
