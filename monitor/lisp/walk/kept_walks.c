/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_walks.c -- see kept_walks.h. */
#include "lisp/walk/kept_walks.h"

#include <string.h>

#include "base/sizes.h"
#include "lisp/walk/stack_walk.h"

static int
reserve(struct kept_walks *table, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(
          &arena, places * (sizeof *table->keys + sizeof *table->walks)) != 0)
    return -1;
  arena_release(&table->arena);
  *table = (struct kept_walks){
      .keys = arena.base, .mask = places - 1, .arena = arena};
  table->walks = table->last = (void *)(table->keys + places);
  return 0;
}

int
kept_walks_init(struct kept_walks *table)
{
  return reserve(table, SIZE_FIRST_OBJECTS);
}

void
kept_walks_forget(struct kept_walks *table)
{
  arena_clear(&table->arena);
}

struct kept_walk *
kept_walks_note(struct kept_walks *table, uint64_t key)
{
  uint32_t place;
  if (++table->noted > table->mask && table->mask < SIZE_MOST_OBJECTS - 1)
    reserve(table, (table->mask + 1) * 4);
  place = (uint32_t)(key >> 40) & table->mask;
  if (table->keys[place].noted == key) {
    table->keys[place].kept = key;
    return &table->walks[place];
  }
  table->keys[place].noted = key;
  return NULL;
}

/* Copies the walk that has just ended at a known frame to that place. Returns
 * false if it cannot be kept. */
static bool
copy_walk(struct stack_walk *walk, const struct context_tree *tree,
          struct innermost_frame innermost, struct kept_walk *kept)
{
  const size_t last = (size_t)(walk->last - walk->frames);
  uint32_t up = (uint32_t)*walk->last->word;
  kept->frames[0].ip = 0; /* of no walk, if this one cannot be kept */
  kept->last = UINT32_MAX;
  if (last >= KEPT_FRAMES)
    return false;
  kept->plain = true;
  for (size_t i = last + 1; i-- > 0;) {
    const struct walked_frame *const f = &walk->frames[i];
    const struct call_site *const site = call_site_at(&walk->sites, f->ip);
    const uint64_t key = (uint64_t)up << 32 | f->call;
    const struct step *const step = step_table_place(&walk->steps, key, 0);
    if (f->call == NO_CALL || site->kind == CALL_ELSEWHERE ||
        site->kind == CALL_INTERPRETER || (i > 0 && step->key != key))
      return false;
    kept->plain &= call_site_is_framed(site);
    kept->frames[i] = (struct kept_frame){
        .ip = f->ip,
        .word = site->kind == CALL_FRAME ? walk->epoch | up : NO_WORD,
        .word_at = site->kind == CALL_WORDLESS ? (int16_t)sizeof(uintptr_t)
                                               : site->word_at,
        .saved = site->saved,
        .kind = site->kind};
    if (i > 0) {
      kept->frames[i].activations = &tree->contexts[step->number].activations;
      up = step->more;
    }
  }
  kept->last = (uint32_t)last;
  kept->up = innermost.up;
  kept->call = innermost.call;
  memset(kept->made, 0, sizeof kept->made);
  return true;
}

/* Returns whether `kept' is the walk that has just ended at a known frame. */
static bool
is_same(const struct stack_walk *walk, const struct kept_walk *kept)
{
  const size_t last = (size_t)(walk->last - walk->frames);
  if (kept->last != last || kept->frames[last].word != *walk->last->word)
    return false;
  for (size_t i = 0; i <= last; i++)
    if (kept->frames[i].ip != walk->frames[i].ip)
      return false;
  return true;
}

void
stack_walk_keep(struct stack_walk *walk, const struct context_tree *tree,
                struct innermost_frame innermost, uint64_t key)
{
  struct kept_walk *kept = kept_walks_find(&walk->kept, key);
  if (kept != NULL && !is_same(walk, kept))
    return;
  if (kept == NULL && ((kept = kept_walks_note(&walk->kept, key)) == NULL ||
                       !copy_walk(walk, tree, innermost, kept)))
    return;
  kept_walk_came(&walk->kept, kept);
  walk->same = kept;
}
