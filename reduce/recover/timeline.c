/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ends slices of time and joins them when there are too many.  A reading goes
 * through all leaves, in the order of their keys. */

#include "recover/timeline.h"

#include "base/array.h"
#include "recover/c_counters.h"

#include <stdio.h>
#include <unistd.h>

/* ---- slices ------------------------------------------------------------ */

/* Adds the growths of NEXT to those of SLICE, the one before. */
static void
join(struct timeline_slice *slice, struct timeline_slice *next)
{
  struct timeline_slice both = {.start = slice->start, .state = next->state};
  size_t i = 0, j = 0;
  ARRAY_ROOM(both.growths, both.capacity, slice->count + next->count);
  while (i < slice->count || j < next->count) {
    const struct timeline_growth *a = &slice->growths[i];
    const struct timeline_growth *b = &next->growths[j];
    const bool first =
        j == next->count || (i < slice->count && a->key <= b->key);
    const bool second =
        i == slice->count || (j < next->count && b->key <= a->key);
    both.growths[both.count++] = (struct timeline_growth){
        .key = first ? a->key : b->key,
        .count = (first ? a->count : 0) + (second ? b->count : 0),
        .bytes = (first ? a->bytes : 0) + (second ? b->bytes : 0)};
    i += first;
    j += second;
  }
  pool_free(slice->growths);
  pool_free(next->growths);
  *slice = both;
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
    ARRAY_PUSH(t->trees, t->tree_count, t->tree_capacity,
               (struct timeline_tree){.owner = tree->owner});
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

/* Returns what the leaf I has counted, of which WAS had been before.  A C
 * program with one thread may be between the count of an object and that of
 * its bytes: these are worked out, or the next reading has both. */
static struct object_count
counted(const struct image_tree *tree, uint32_t i, bool torn,
        const struct object_count *was)
{
  const struct leaf *leaf = &tree->tree.leaves[i];
  const uint32_t size = i == LEAF_OVERFLOW || leaf->count == 0
                            ? LEAF_LARGE
                            : context_tree_kind(&tree->tree, leaf)->size;
  struct object_count is = {leaf->count, leaf->bytes};
  if (torn && size != LEAF_LARGE)
    is.bytes = is.count * size;
  if (is.count < was->count || is.bytes < was->bytes ||
      (torn && size == LEAF_LARGE &&
       (is.count > was->count) != (is.bytes > was->bytes)))
    is = *was;
  return is;
}

static void
add_tree(struct timeline *t, struct timeline_slice *slice,
         const struct image_tree *tree, bool torn)
{
  struct timeline_tree *seen = find_tree(t, tree);
  for (uint32_t i = LEAF_OVERFLOW; i < tree->tree.leaf_count; i++) {
    struct object_count *was = &seen->seen[i];
    const struct object_count is = counted(tree, i, torn, was);
    if (is.count == was->count && is.bytes == was->bytes)
      continue;
    ARRAY_PUSH(slice->growths, slice->count, slice->capacity,
               (struct timeline_growth){.key = timeline_key(tree->owner, i),
                                        .count = is.count - was->count,
                                        .bytes = is.bytes - was->bytes});
    seen->grown += was->count == 0 && was->bytes == 0;
    *was = is;
  }
}

/* Returns whether a slice ends NOW: after a late reading one seems early. */
static bool
is_due(const struct timeline *t, uint64_t now)
{
  return now - t->last >= (t->interval << t->joined) - t->interval / 4;
}

static int
compare_growths(const void *left, const void *right)
{
  const struct timeline_growth *a = left, *b = right;
  return a->key != b->key ? (a->key < b->key ? -1 : 1)
                          : (a->slice > b->slice) - (a->slice < b->slice);
}

void
timeline_take(struct timeline *t, const struct image *image,
              uint64_t generation, uint64_t now, struct timeline_state state)
{
  struct pool *outer = pool_use(&t->pool);
  if (generation != t->generation)
    forget(t);
  t->generation = generation;
  struct timeline_slice slice = {.start = t->last, .state = state};
  if (is_due(t, now)) {
    for (size_t i = 0; i < image->tree_count; i++)
      add_tree(t, &slice, &image->trees[i], image->head.language == IMAGE_C);
    array_sort(slice.growths, slice.count, sizeof *slice.growths,
               compare_growths);
    ARRAY_PUSH(t->slices, t->slice_count, t->slice_capacity, slice);
    t->last = now;
    while (t->slice_count > 1 && is_large(t))
      join_all(t);
  }
  t->state = state;
  pool_use(outer);
}

/* ---- the image of a C program ------------------------------------------ */

struct taking {
  struct timeline *timeline;
  const char *path;
  uint64_t now;
};

uint64_t
timeline_resident_bytes(uint32_t number)
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
  const struct taking *taking = closure;
  struct image image = {0};
  struct c_counters counters;
  struct timeline_state state = {.in_use = 0};
  image_read(&image, taking->path);
  if (image.head.language != IMAGE_C)
    return;
  c_counters_find(&counters, &image);
  for (uint32_t i = LEAF_OVERFLOW; i < counters.tree->leaf_count; i++)
    state.in_use +=
        counters.by_leaf[i].allocated.bytes - counters.by_leaf[i].freed.bytes;
  state.resident = timeline_resident_bytes(image.head.process);
  timeline_take(taking->timeline, &image, counters.stripes.figures_since,
                taking->now, state);
}

void
timeline_take_file(struct timeline *t, const char *path, uint64_t now)
{
  struct taking taking = {t, path, now};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (is_due(t, now))
    attempt(&pool, take, &taking, &error);
  pool_release(&pool);
}

/* ---- the end ----------------------------------------------------------- */

struct timeline_growth *
timeline_growths(const struct timeline *t, size_t *count)
{
  struct timeline_growth *all;
  size_t number = 0;
  *count = 0;
  for (size_t i = 0; i < t->slice_count; i++)
    number += t->slices[i].count;
  all = pool_zeroed(number, sizeof *all);
  for (size_t i = 0; i < t->slice_count; i++)
    for (size_t j = 0; j < t->slices[i].count; j++) {
      all[*count] = t->slices[i].growths[j];
      all[(*count)++].slice = (uint32_t)i;
    }
  array_sort(all, *count, sizeof *all, compare_growths);
  return all;
}
