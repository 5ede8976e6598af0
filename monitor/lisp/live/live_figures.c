/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_figures.c -- what died and lives, by leaf.
 *
 * What is alive is added up when it is asked for.  What is noted before that
 * is what would be gone by then: the dead, and what was alive at the peak.
 */
#include "lisp/live/live_table.h"

static unsigned
band_of(uint64_t age)
{
  const unsigned band = age == 0 ? 0 : 64 - (unsigned)__builtin_clzll(age);
  return band < LIVE_BANDS ? band : LIVE_BANDS - 1;
}

static void
count_in(struct live_count *c, const struct live_entry *e)
{
  c->objects += LIVE_KIND(e->memory) == LIVE_OBJECT;
  c->bytes += live_entry_bytes(e);
}

/* ---- the dead ---- */

/* Without memory for its leaf it counts as if in the first band. */
void
live_note_death(struct live_table *t, const struct live_entry *e)
{
  struct live_count(*const of_leaf)[LIVE_BANDS] =
      arena_record(&t->deaths, e->leaf / LIVE_LEAF_UNITS, sizeof *of_leaf);
  if (of_leaf != NULL)
    count_in(&(*of_leaf)[band_of(LIVE_AGE(e->memory))], e);
  else
    t->misplaced++;
}

/* ---- the peak ---- */

static void
add_to_peak(struct live_table *t, uint32_t leaf, const struct live_entry *e)
{
  struct live_count *const of_leaf =
      arena_record(&t->peak, leaf / LIVE_LEAF_UNITS, sizeof *of_leaf);
  if (of_leaf != NULL)
    count_in(of_leaf, e);
  else
    t->misplaced++;
}

static void
add_all_to_peak(struct live_table *t, const struct live_entry *entries,
                uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (entries[i].memory != 0 && LIVE_KIND(entries[i].memory) != LIVE_TIME)
      add_to_peak(t, entries[i].leaf, &entries[i]);
}

/* Entries of age 1 were alive at a peak that is the last collection. */
void
live_note_collection(uint64_t bytes)
{
  live.peak_age++;
  if (bytes <= live.peak_bytes)
    return;
  live.peak_bytes = bytes;
  live.peak_age = 1;
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    arena_clear(&t->peak);
    if (t->boundary == NULL)
      continue;
    add_all_to_peak(t, t->boundary->entries, t->boundary_count);
    for (const struct live_chunk *c = t->old; c != NULL; c = c->next)
      add_all_to_peak(t, c->entries, c->count);
  }
}

/* It was not counted at the peak if there was no memory for that. */
void
live_move_entry(struct live_table *t, struct live_entry *e, uint32_t leaf)
{
  struct live_count *const from =
      live.peak_bytes == 0 || LIVE_AGE(e->memory) < live.peak_age
          ? NULL
          : arena_record(&t->peak, e->leaf / LIVE_LEAF_UNITS, sizeof *from);
  if (from != NULL && from->bytes >= live_entry_bytes(e)) {
    from->objects -= LIVE_KIND(e->memory) == LIVE_OBJECT;
    from->bytes -= live_entry_bytes(e);
    add_to_peak(t, leaf, e);
  }
  e->leaf = leaf;
}

/* ---- the sums ---- */

static void
count_entry(void *sums, const struct live_entry *e, bool freed)
{
  struct live_survival *const s =
      (struct live_survival *)sums + e->leaf / LIVE_LEAF_UNITS;
  const unsigned band = band_of(LIVE_AGE(e->memory));
  if (!freed)
    count_in(&s->alive[band], e);
  else if (band != 0)
    count_in(&s->died[band], e);
}

/* There may be no such leaf. */
static void
add_count(struct live_count *to, const struct live_count *from)
{
  if (from->bytes == 0)
    return;
  to->objects += from->objects;
  to->bytes += from->bytes;
}

void
live_table_sum(struct live_table *t, struct live_survival *sums)
{
  const struct live_count(*const deaths)[LIVE_BANDS] = t->deaths.base;
  const struct live_count *const peak = t->peak.base;
  live_collection_each(t, count_entry, sums);
  for (size_t i = 0; i < t->deaths.reserved_bytes / sizeof *deaths; i++)
    for (unsigned band = 1; band < LIVE_BANDS; band++)
      add_count(&sums[i].died[band], &deaths[i][band]);
  for (size_t i = 0; i < t->peak.reserved_bytes / sizeof *peak; i++)
    add_count(&sums[i].peak, &peak[i]);
}
