/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_figures.c -- what lives, and what lived at the peak, by leaf.
 *
 * What is alive is added up when it is asked for.  What was alive at the peak
 * is noted then, for it may be gone later.
 */
#include "lisp/live/live_table.h"

static void
count_in(struct live_count *c, const struct live_entry *e)
{
  c->objects += LIVE_KIND(e->memory) == LIVE_OBJECT;
  c->bytes += live_entry_bytes(e);
}

/* ---- the peak ---- */

/* Counts the entry at `leaf', if there is memory, and marks whether it is. */
static void
add_to_peak(struct live_table *t, uint32_t leaf, struct live_entry *e)
{
  struct live_count *const of_leaf =
      arena_record(&t->peak, leaf / LIVE_LEAF_UNITS, sizeof *of_leaf);
  if (of_leaf != NULL) {
    count_in(of_leaf, e);
    e->memory |= LIVE_AT_PEAK;
  } else {
    e->memory &= ~LIVE_AT_PEAK;
    t->misplaced++;
  }
}

static void
add_all_to_peak(struct live_table *t, struct live_entry *entries,
                uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (entries[i].memory != 0)
      add_to_peak(t, entries[i].leaf, &entries[i]);
}

void
live_note_collection(uint64_t bytes)
{
  if (bytes <= live.peak_bytes)
    return;
  live.peak_bytes = bytes;
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    arena_clear(&t->peak);
    if (t->boundary == NULL)
      continue;
    add_all_to_peak(t, t->boundary->entries, t->boundary_count);
    for (struct live_chunk *c = t->old; c != NULL; c = c->next)
      add_all_to_peak(t, c->entries, c->count);
  }
}

void
live_move_entry(struct live_table *t, struct live_entry *e, uint32_t leaf)
{
  if ((e->memory & LIVE_AT_PEAK) != 0) {
    struct live_count *const from =
        (struct live_count *)t->peak.base + e->leaf / LIVE_LEAF_UNITS;
    from->objects -= LIVE_KIND(e->memory) == LIVE_OBJECT;
    from->bytes -= live_entry_bytes(e);
    add_to_peak(t, leaf, e);
  }
  e->leaf = leaf;
}

/* ---- the sums ---- */

static void
count_entry(void *sums, const struct live_entry *e)
{
  struct live_figures *const figures = sums;
  count_in(&figures[e->leaf / LIVE_LEAF_UNITS].alive, e);
}

/* The arena may have records of zeros for leaves that are not there. */
void
live_table_sum(struct live_table *t, struct live_figures *sums)
{
  const struct live_count *const peak = t->peak.base;
  live_collection_each(t, count_entry, sums);
  for (size_t i = 0; i < t->peak.reserved_bytes / sizeof *peak; i++)
    if (peak[i].bytes != 0)
      sums[i].peak = peak[i];
}
