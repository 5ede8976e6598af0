/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_entries.c -- see live_entries.h.
 */
#include "lisp/live/live_entries.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "lisp/live/live_frees.h"

static void *
clear(void *table)
{
  struct live_table *const t = table;
  live_chunks_free(t->open->next);
  live_chunks_free(t->old);
  t->open->next = t->old = NULL;
  t->open->count = 0;
  t->open->clock = t->clock;
  t->at = t->open->entries;
  t->end = t->at + LIVE_CHUNK_ENTRIES;
  t->boundary = NULL;
  arena_release(&t->deaths);
  t->lost = t->misplaced = 0;
  return NULL;
}

void
live_entries_clear(struct live_table *t)
{
  GC_call_with_alloc_lock(clear, t);
}

/* ---- another leaf ---- */

struct move {
  struct live_table *table;
  const void *memory;
  ptrdiff_t leaf;
};

static struct live_entry *
find_newest(struct live_chunk *chunk, const void *memory)
{
  for (; chunk != NULL; chunk = chunk->next)
    for (uint64_t i = chunk->count; i-- > 0;)
      if (live_entry_is_of(&chunk->entries[i], memory))
        return &chunk->entries[i];
  return NULL;
}

static void *
move(void *move_of)
{
  const struct move *const m = move_of;
  struct live_entry *e;
  m->table->open->count = live_table_open_count(m->table);
  e = find_newest(m->table->open, m->memory);
  if (e == NULL)
    e = find_newest(m->table->old, m->memory);
  if (e != NULL)
    e->leaf = (uint32_t)(m->leaf >> 4);
  return NULL;
}

void
live_entries_move(struct live_table *t, const void *memory, ptrdiff_t leaf)
{
  struct move m = {t, memory, leaf};
  GC_call_with_alloc_lock(move, &m);
}

/* ---- what is alive ---- */

static void
visit_chunks(const struct live_chunk *chunk, bool old, live_visit_fn *visit,
             void *closure)
{
  for (; chunk != NULL; chunk = chunk->next) {
    uint64_t clock = old ? 0 : chunk->clock;
    for (uint64_t i = 0; i < chunk->count; i++) {
      const struct live_entry *const e = &chunk->entries[i];
      if (LIVE_KIND(e->memory) == LIVE_TIME)
        clock = LIVE_ADDRESS(e->memory);
      else if (e->memory != 0)
        visit(closure, e, live_frees_clock(LIVE_ADDRESS(e->memory)) > clock);
    }
  }
}

void
live_entries_each(struct live_table *t, live_visit_fn *visit, void *closure)
{
  t->open->count = live_table_open_count(t);
  visit_chunks(t->open, false, visit, closure);
  visit_chunks(t->old, true, visit, closure);
}

static void
count_entry(void *sums, const struct live_entry *e, bool freed)
{
  struct live_survival *const s =
      (struct live_survival *)sums + e->leaf / LIVE_LEAF_UNITS;
  const unsigned band = live_band(LIVE_AGE(e->memory));
  if (!freed)
    live_count_add(&s->alive[band], e);
  else if (band != 0)
    live_count_add(&s->died[band], e);
}

void
live_entries_sum(struct live_table *t, struct live_survival *sums)
{
  live_entries_each(t, count_entry, sums);
  live_deaths_sum(t, sums);
}
