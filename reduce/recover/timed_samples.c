/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The samples of a leaf over time (timeline.h).  What is known of all its
 * objects together goes to the latest slices that have room for it, so that
 * no sample keeps more than it allocated: a sum over all slices is right, a
 * part of it says nothing.
 */

#include "recover/building.h"
#include "recover/timeline.h"

#include "base/array.h"

#include <inttypes.h>

void
building_timeline(struct building *b)
{
  const struct timeline *t = b->image->timeline;
  if (t == NULL)
    return;
  b->growths = timeline_growths(t, &b->growth_count);
  for (size_t i = 0; i <= t->slice_count; i++) {
    const bool last = i == t->slice_count;
    const struct timeline_state *state =
        last ? &t->state : &t->slices[i].state;
    building_comment(
        b, PPROF_COMMENT_SLICE,
        pool_format("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                    last ? t->last : t->slices[i].start, state->in_use,
                    state->resident, state->collections));
  }
}

/* Moves up to ROOM of REST[COLUMN] to ROW.  How much it was. */
static uint64_t
move(uint64_t *rest, uint64_t *row, int column, uint64_t room)
{
  row[column] = rest[column] < room ? rest[column] : room;
  rest[column] -= row[column];
  return row[column];
}

/* Moves as much of REST into ROW as ROW's objects and bytes allow. */
static void
move_all(uint64_t *rest, uint64_t *row)
{
  for (int of = 0; of < 2; of++) { /* objects, bytes */
    const uint64_t whole = row[PPROF_COUNT + of];
    const uint64_t kept = move(rest, row, PPROF_KEPT_COUNT + of, whole);
    const uint64_t lost = move(rest, row, PPROF_LOST_COUNT + of, kept);
    move(rest, row, PPROF_INDIRECT_COUNT + of, kept - lost);
    move(rest, row, PPROF_PEAK_COUNT + of, whole);
  }
  move(rest, row, PPROF_TEMPORARY, row[PPROF_COUNT]);
  move(rest, row, PPROF_CALLS, UINT64_MAX);
}

/* Returns the growths of the leaf KEY, whose number is set to *COUNT, as far
 * as they are in ALL: a program that was killed in the midst of a count may
 * have less than was read of it. */
static const struct timeline_growth *
find_growths(const struct building *b, uint64_t key, const uint64_t *all,
             size_t *count)
{
  const struct timeline_growth *g = b->growths;
  const size_t end = array_count_until(g, b->growth_count, sizeof *g, key);
  uint64_t objects = all[PPROF_COUNT], bytes = all[PPROF_BYTES];
  size_t begin = end;
  while (begin > 0 && g[begin - 1].key == key)
    begin--;
  for (*count = 0; begin + *count < end; ++*count) {
    const struct timeline_growth *growth = &g[begin + *count];
    if (growth->count > objects || growth->bytes > bytes)
      break;
    objects -= growth->count;
    bytes -= growth->bytes;
  }
  return g + begin;
}

void
building_leaf(struct building *b, uint32_t owner, uint32_t number,
              uint32_t up, const uint64_t *values)
{
  const struct leaf *leaf = &b->tree->leaves[number];
  const struct kind *kind = context_tree_kind(b->tree, leaf);
  const struct timeline *t = b->image->timeline;
  uint64_t rest[PPROF_COLUMNS];
  size_t count;
  if (t == NULL) {
    building_sample(b, leaf->site, leaf->function, up, values, kind);
    return;
  }
  memcpy(rest, values, sizeof rest);
  const struct timeline_growth *growths =
      find_growths(b, timeline_key(owner, number), values, &count);
  for (size_t i = 0; i < count; i++) {
    rest[PPROF_COUNT] -= growths[i].count;
    rest[PPROF_BYTES] -= growths[i].bytes;
  }
  for (size_t i = count + 1; i-- > 0;) {
    const bool last = i == count;
    uint64_t row[PPROF_COLUMNS] = {
        [PPROF_COUNT] = last ? rest[PPROF_COUNT] : growths[i].count,
        [PPROF_BYTES] = last ? rest[PPROF_BYTES] : growths[i].bytes};
    if (row[PPROF_COUNT] == 0 && row[PPROF_BYTES] == 0)
      continue;
    move_all(rest, row);
    b->time = last ? t->last : t->slices[growths[i].slice].start;
    building_sample(b, leaf->site, leaf->function, up, row, kind);
  }
}
