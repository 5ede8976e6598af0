/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_leaves.c -- see lisp_leaves.h.
 */
#include "malloc/ecl/lisp_leaves.h"

#include "malloc/count/stripes.h"

bool
lisp_leaves_begin_renumber(void)
{
  for (struct lisp_thread *l = lisp_heap.threads; l != NULL; l = l->next) {
    if (arena_grow(&l->leaf_arena, l->room * sizeof *l->leaf_of) != 0)
      return false;
    if (l->leaf_of != NULL)
      l->leaf_of = l->leaf_arena.base;
  }
  return true;
}

void
lisp_leaves_renumber(const uint32_t *leaf_of, uint32_t count)
{
  for (struct lisp_thread *l = lisp_heap.threads; l != NULL; l = l->next) {
    uint32_t *const now = l->leaf_arena.base;
    for (uint32_t i = 0; i < l->room; i++) {
      const uint32_t leaf = lisp_leaf(l, i);
      now[i] = leaf < count ? leaf_of[leaf] : 0;
    }
    l->leaf_of = now;
  }
}

/* No number has become larger, so what is added to is done already. */
void
lisp_leaves_catch_up(struct malloc_thread *thread, struct lisp_thread *lisp)
{
  if (lisp->leaf_of == NULL)
    return;
  for (uint32_t i = 0; i < lisp->room; i++) {
    struct lisp_tally *const t = &lisp->tallies[i];
    const uint32_t leaf = lisp->leaf_of[i];
    if (leaf == i)
      continue;
    lisp->tallies[leaf].count += t->count;
    lisp->tallies[leaf].bytes += t->bytes;
    *t = (struct lisp_tally){0};
  }
  lisp->header.leaf = lisp->leaf_of[lisp->header.leaf];
  lisp->leaf_of = NULL;
  if (thread->unloads != stripes.unloads)
    malloc_thread_forget(thread, stripes.unloads);
}
