/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over the samples adds to a part for each bin and type; these are
 * few, and sorted at the end.
 */

#include "analysis/tally.h"

#include "base/array.h"

#include <string.h>

/* Parts on their way. */
struct part_row {
  enum bin_kind kind;
  uint64_t size;
  struct tally_part part;
  const char *name;
};

struct collecting {
  struct tally *tally;
  const struct profile *profile;
  struct index_map known; /* bin, type -> rows */
  struct part_row *rows;
  size_t count, capacity;
};

const char *
tally_type_name(const struct profile *profile,
                const struct profile_type *type)
{
  return names_text(&profile->names,
                    type->class_name != 0 ? type->class_name : type->type);
}

/* By bin; in a bin by bytes, descending, then by name and by type. */
static int
compare_rows(const void *left, const void *right)
{
  const struct part_row *a = left;
  const struct part_row *b = right;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  if (a->part.figures.bytes != b->part.figures.bytes)
    return a->part.figures.bytes > b->part.figures.bytes ? -1 : 1;
  int order = strcmp(a->name, b->name);
  if (order != 0)
    return order;
  return a->part.type < b->part.type ? -1 : a->part.type > b->part.type;
}

static enum bin_kind
bin_kind_of(const struct sample_count *count)
{
  if (count->size_kind == SIZE_GROWTH)
    return BIN_GROWTH;
  if (count->size_kind == SIZE_UNKNOWN)
    return BIN_UNKNOWN;
  return count->size_kind == SIZE_LARGE || count->object_bytes > LARGEST_BIN
             ? BIN_LARGE
             : BIN_SIZE;
}

/* Adds FIGURES to the part that COUNT belongs to. */
static bool
add_part(struct collecting *collecting, const struct sample_count *count,
         const struct figures *figures)
{
  enum bin_kind kind = bin_kind_of(count);
  uint64_t size = kind == BIN_SIZE ? count->object_bytes : 0;
  uint32_t bin = (uint32_t)(kind == BIN_SIZE ? size : LARGEST_BIN + kind);
  uint64_t key = index_pair(bin, count->type);
  uint32_t index = index_map_find(&collecting->known, key);
  if (index == INDEX_NONE) {
    const struct profile *profile = collecting->profile;
    struct part_row *rows =
        array_reserve(collecting->rows, &collecting->capacity,
                      collecting->count + 1, sizeof *rows);
    if (rows == NULL)
      return false;
    collecting->rows = rows;
    index = (uint32_t)collecting->count;
    if (!index_map_add(&collecting->known, key, index))
      return false;
    rows[collecting->count++] = (struct part_row){
        .kind = kind,
        .size = size,
        .part = {.type = count->type},
        .name = tally_type_name(profile, &profile->types[count->type])};
  }
  figures_add(&collecting->rows[index].part.figures, figures);
  return true;
}

/* Turns the sorted rows into bins and parts. */
static bool
collect_bins(struct collecting *collecting)
{
  struct tally *tally = collecting->tally;
  tally->bins = array_zeroed(collecting->count, sizeof *tally->bins);
  tally->parts = array_zeroed(collecting->count, sizeof *tally->parts);
  if (tally->bins == NULL || tally->parts == NULL)
    return false;
  array_sort(collecting->rows, collecting->count, sizeof *collecting->rows,
             compare_rows);
  for (size_t i = 0; i < collecting->count; i++) {
    const struct part_row *row = &collecting->rows[i];
    if (i == 0 || row->kind != row[-1].kind || row->size != row[-1].size)
      tally->bins[tally->bin_count++] = (struct tally_bin){
          .kind = row->kind, .size = row->size, .first_part = i};
    struct tally_bin *bin = &tally->bins[tally->bin_count - 1];
    bin->part_count++;
    figures_add(&bin->figures, &row->part.figures);
    tally->parts[i] = row->part;
  }
  return true;
}

static bool
add_samples(struct collecting *collecting, const struct selection *selection)
{
  struct tally *tally = collecting->tally;
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_labels *labels =
        &profile->labels[profile->samples[i].labels];
    struct sample_count count;
    selection_count(selection, i, &count);
    if (!selection_keeps(selection, i, &count))
      continue;
    struct figures figures = figures_of(profile, &count);
    figures_add(&tally->types[count.type], &figures);
    figures_add(&tally->phases[selection_phase(selection, i)], &figures);
    figures_add(&tally->threads[labels->thread], &figures);
    figures_add(&tally->regions[labels->region], &figures);
    if (!add_part(collecting, &count, &figures))
      return false;
  }
  return true;
}

bool
tally_init(struct tally *tally, const struct selection *selection,
           struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  struct collecting collecting = {.tally = tally, .profile = profile};
  memset(tally, 0, sizeof *tally);
  tally->types = array_zeroed(profile->type_count, sizeof *tally->types);
  tally->threads =
      array_zeroed(profile->thread_count, sizeof *tally->threads);
  tally->regions =
      array_zeroed(profile->region_count, sizeof *tally->regions);
  bool good = tally->types != NULL && tally->threads != NULL &&
              tally->regions != NULL && add_samples(&collecting, selection) &&
              collect_bins(&collecting);
  index_map_release(&collecting.known);
  free(collecting.rows);
  return good || mprof_error_memory(error);
}

void
tally_release(struct tally *tally)
{
  free(tally->types);
  free(tally->threads);
  free(tally->regions);
  free(tally->bins);
  free(tally->parts);
  memset(tally, 0, sizeof *tally);
}
