/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ends slices of time and joins them when there are too many.  A reading goes
 * through all leaves, in the order of their keys.
 *
 * Samples.  What is known of all objects of a leaf together goes to the
 * latest slices that have room for it, so that no sample keeps more than it
 * allocated: a sum over all slices is right, a part of it says nothing.
 */

#include "images/timeline.h"

#include "images/building.h"
#include "images/image_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* ---- slices ------------------------------------------------------------ */

static int
compare_growths(const void *left, const void *right)
{
  const struct timeline_growth *a = left, *b = right;
  return array_order(a->key, b->key) ?: array_order(a->slice, b->slice);
}

/* Adds the growths of NEXT to those of SLICE, the one before. */
static void
join(struct timeline_slice *slice, struct timeline_slice *next)
{
  const size_t count = slice->count + next->count;
  ARRAY_ROOM(slice->growths, slice->capacity, count);
  struct timeline_growth *all = slice->growths;
  for (size_t i = 0; i < next->count; i++)
    all[slice->count + i] = next->growths[i];
  array_sort(all, count, sizeof *all, compare_growths);
  slice->count = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t n = slice->count;
    if (n > 0 && all[n - 1].key == all[i].key) {
      object_count_add(&all[n - 1].allocated, &all[i].allocated);
      object_count_add(&all[n - 1].freed, &all[i].freed);
    } else {
      all[slice->count++] = all[i];
    }
  }
  slice->state = next->state;
  pool_free(next->growths);
}

static void
join_all(struct timeline *t)
{
  const size_t before = t->slice_count;
  for (size_t i = 0; i < before; i += 2) {
    if (i + 1 < before)
      join(&t->slices[i], &t->slices[i + 1]);
    t->slices[i / 2] = t->slices[i];
  }
  t->slice_count = (before + 1) / 2;
  t->joined++;
}

/* Returns whether there are too many slices, or growths in them. */
static bool
is_large(const struct timeline *t)
{
  size_t growths = 0, leaves = 0;
  for (size_t i = 0; i < t->slice_count; i++)
    growths += t->slices[i].count;
  for (size_t i = 0; i < t->tree_count; i++)
    leaves += t->trees[i].grown;
  return t->slice_count == TIMELINE_SLICES ||
         (growths > (t->most == 0 ? TIMELINE_GROWTHS : t->most) &&
          2 * growths > 3 * leaves);
}

static void
forget(struct timeline *t)
{
  for (size_t i = 0; i < t->slice_count; i++)
    pool_free(t->slices[i].growths);
  for (size_t i = 0; i < t->tree_count; i++)
    pool_free(t->trees[i].seen);
  t->slice_count = t->tree_count = 0;
}

void
timeline_release(struct timeline *t)
{
  pool_release(&t->pool);
  *t = (struct timeline){.interval = t->interval, .most = t->most};
}

/* ---- a reading --------------------------------------------------------- */

static struct timeline_tree *
find_tree(struct timeline *t, const struct image_tree *tree)
{
  size_t i = 0;
  while (i < t->tree_count && t->trees[i].owner != tree->owner)
    i++;
  if (i == t->tree_count)
    ARRAY_ADD(t, tree, (struct timeline_tree){.owner = tree->owner});
  struct timeline_tree *seen = &t->trees[i];
  if (seen->leaves < tree->tree.leaf_count) {
    const size_t more = tree->tree.leaf_count - seen->leaves;
    seen->seen =
        pool_resize(seen->seen, tree->tree.leaf_count * sizeof *seen->seen);
    memset(seen->seen + seen->leaves, 0, more * sizeof *seen->seen);
    seen->leaves = tree->tree.leaf_count;
  }
  return seen;
}

/* Adds to *WAS, the count of objects of SIZE at the last reading, by how much
 * IS is larger, and returns that.  A C program with one thread may be between
 * the count of an object and that of its bytes if it is TORN: these are
 * worked out, or the next reading has both. */
static struct object_count
grow(struct object_count *was, struct object_count is, bool torn,
     uint32_t size)
{
  if (torn && size != LEAF_LARGE)
    is.bytes = is.count * size;
  if (is.count < was->count || is.bytes < was->bytes ||
      (torn && size == LEAF_LARGE &&
       (is.count > was->count) != (is.bytes > was->bytes)))
    is = *was;
  const struct object_count more = {is.count - was->count,
                                    is.bytes - was->bytes};
  *was = is;
  return more;
}

/* Adds to SLICE what the leaves of TREE have counted since the last reading.
 * Returns how many bytes of them are in use, by COUNTERS; NULL: 0. */
static uint64_t
add_tree(struct timeline *t, struct timeline_slice *slice,
         const struct image_tree *tree, bool torn,
         const struct leaf_counters *counters)
{
  struct timeline_tree *seen = find_tree(t, tree);
  uint64_t in_use = 0;
  for (uint32_t i = LEAF_OVERFLOW; i < tree->tree.leaf_count; i++) {
    const struct leaf *leaf = &tree->tree.leaves[i];
    const uint32_t size = i == LEAF_OVERFLOW || leaf->count == 0
                              ? LEAF_LARGE
                              : context_tree_kind(&tree->tree, leaf)->size;
    struct timeline_growth *was = &seen->seen[i];
    const bool new = was->allocated.count == 0 && was->allocated.bytes == 0;
    struct timeline_growth more = {.key = index_pair(tree->owner, i)};
    more.allocated =
        grow(&was->allocated, (struct object_count){leaf->count, leaf->bytes},
             torn, size);
    if (counters != NULL && counters[i].freed.count <= was->allocated.count &&
        counters[i].freed.bytes <= was->allocated.bytes)
      more.freed = grow(&was->freed, counters[i].freed, torn, size);
    if (counters != NULL)
      in_use += was->allocated.bytes - was->freed.bytes;
    if ((more.allocated.count | more.allocated.bytes | more.freed.count |
         more.freed.bytes) == 0)
      continue;
    ARRAY_PUSH(slice->growths, slice->count, slice->capacity, more);
    seen->grown += new;
  }
  return in_use;
}

/* Returns whether a slice ends NOW: after a late reading one seems early. */
static bool
is_due(const struct timeline *t, uint64_t now)
{
  return now - t->last >= (t->interval << t->joined) - t->interval / 4;
}

void
timeline_take(struct timeline *t, const struct image *image,
              const struct leaf_counters *counters, uint64_t generation,
              uint64_t now, struct timeline_state state)
{
  struct pool *outer = pool_use(&t->pool);
  if (generation != t->generation)
    forget(t);
  t->generation = generation;
  struct timeline_slice slice = {.start = t->last};
  if (is_due(t, now)) {
    for (size_t i = 0; i < image->tree_count; i++)
      state.in_use += add_tree(t, &slice, &image->trees[i],
                               image->head.language == IMAGE_C, counters);
    slice.state = state;
    array_sort(slice.growths, slice.count, sizeof *slice.growths,
               compare_growths);
    ARRAY_ADD(t, slice, slice);
    t->last = now;
    while (t->slice_count > 1 && is_large(t))
      join_all(t);
  }
  t->state = state;
  pool_use(outer);
}

/* A reading of an image. */
struct taking {
  struct timeline *timeline;
  const char *path;
  struct input_octets octets;
  uint64_t generation, now;
  struct timeline_state state;
};

/* Returns the bytes of memory that the process NUMBER has, or 0 if that is
 * not known. */
static uint64_t
resident_bytes(uint32_t number)
{
  char path[32];
  unsigned long pages = 0;
  snprintf(path, sizeof path, "/proc/%u/statm", number);
  FILE *file = fopen(path, "re");
  if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1)
    pages = 0;
  if (file != NULL)
    fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
take(void *closure)
{
  struct taking *taking = closure;
  const bool lisp = taking->octets.data != NULL;
  struct c_counters counters = {.by_leaf = NULL};
  struct image image;
  image_read(&image, taking->path, taking->octets);
  if (image.head.language != (lisp ? IMAGE_LISP : IMAGE_C))
    return;
  if (lisp) {
    image_check_trees(&image);
  } else {
    c_counters_find(&counters, &image);
    taking->generation = counters.stripes.figures_since;
  }
  taking->state.resident = resident_bytes(image.head.process);
  timeline_take(taking->timeline, &image, counters.by_leaf,
                taking->generation, taking->now, taking->state);
}

void
timeline_read(struct timeline *t, const char *path,
              struct input_octets octets, uint64_t generation, uint64_t now,
              uint64_t collections)
{
  struct taking taking = {t,          path, octets,
                          generation, now,  {.collections = collections}};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (octets.data == NULL && !is_due(t, now))
    return;
  attempt(&pool, take, &taking, &error);
  pool_release(&pool);
}

/* ---- samples ----------------------------------------------------------- */

struct timeline_growth *
timeline_growths(const struct timeline *t, size_t *count)
{
  struct timeline_growth *all = NULL;
  size_t capacity = 0;
  *count = 0;
  ARRAY_ROOM(all, capacity, 0);
  for (size_t i = 0; i < t->slice_count; i++)
    for (size_t j = 0; j < t->slices[i].count; j++) {
      ARRAY_PUSH(all, *count, capacity, t->slices[i].growths[j]);
      all[*count - 1].slice = (uint32_t)i;
    }
  array_sort(all, *count, sizeof *all, compare_growths);
  return all;
}

void
building_timeline(struct building *b)
{
  const struct timeline *t = b->image->timeline;
  const struct c_counters *c = &b->counters;
  struct timeline_state end = t->state;
  if (c->by_leaf != NULL)
    end.in_use = 0;
  for (uint32_t i = 0; c->by_leaf != NULL && i < c->tree->leaf_count; i++)
    end.in_use += c->by_leaf[i].allocated.bytes - c->by_leaf[i].freed.bytes;
  b->growths = timeline_growths(t, &b->growth_count);
  for (size_t i = 0; i <= t->slice_count; i++) {
    const bool last = i == t->slice_count;
    const struct timeline_state *state = last ? &end : &t->slices[i].state;
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

/* Fills ROW with what GROWTH has of its own. */
static void
set_growth(uint64_t *row, const struct timeline_growth *growth)
{
  row[PPROF_COUNT] = growth->allocated.count;
  row[PPROF_BYTES] = growth->allocated.bytes;
  row[PPROF_FREED_COUNT] = growth->freed.count;
  row[PPROF_FREED_BYTES] = growth->freed.bytes;
}

/* Takes the growths of the leaf KEY from REST and returns them; sets *COUNT
 * to their number, as far as they are in REST: a program that was killed in
 * the midst of a count may have less than was read of it. */
static const struct timeline_growth *
take_growths(const struct building *b, uint64_t key, uint64_t *rest,
             size_t *count)
{
  const struct timeline_growth *g = b->growths;
  const size_t end = array_count_until(g, b->growth_count, sizeof *g, key);
  size_t begin = end;
  while (begin > 0 && g[begin - 1].key == key)
    begin--;
  for (*count = 0; begin + *count < end; ++*count) {
    uint64_t row[PPROF_COLUMNS] = {0}, less = 0;
    set_growth(row, &g[begin + *count]);
    for (int i = 0; i < PPROF_COLUMNS; i++)
      less += rest[i] < row[i];
    if (less != 0)
      break;
    for (int i = 0; i < PPROF_COLUMNS; i++)
      rest[i] -= row[i];
  }
  return g + begin;
}

void
building_leaf(struct building *b, uint32_t number, uint32_t up,
              const uint64_t *values)
{
  const struct leaf *leaf = &b->tree->leaves[number];
  const struct kind *kind = context_tree_kind(b->tree, leaf);
  const struct timeline *t = b->image->timeline;
  uint64_t rest[PPROF_COLUMNS];
  size_t count;
  if (t == NULL) {
    building_sample(b, leaf->site, up, values, kind);
    return;
  }
  memcpy(rest, values, sizeof rest);
  const struct timeline_growth *growths =
      take_growths(b, index_pair(b->owner, number), rest, &count);
  const struct timeline_growth after = {
      .allocated = {rest[PPROF_COUNT], rest[PPROF_BYTES]},
      .freed = {rest[PPROF_FREED_COUNT], rest[PPROF_FREED_BYTES]}};
  for (size_t i = count + 1; i-- > 0;) {
    const bool last = i == count;
    uint64_t row[PPROF_COLUMNS] = {0};
    set_growth(row, last ? &after : &growths[i]);
    if (row[PPROF_COUNT] != 0 || row[PPROF_BYTES] != 0)
      move_all(rest, row);
    else if (row[PPROF_FREED_COUNT] == 0 && row[PPROF_FREED_BYTES] == 0)
      continue;
    b->time = last ? t->last : t->slices[growths[i].slice].start;
    building_sample(b, leaf->site, up, row, kind);
  }
}
