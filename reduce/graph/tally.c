/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples are put in order of bin and type; then each run of one bin is a
 * bin, each run of one type in it a part.  The cost is that of the sort.
 */

#include "graph/tally.h"

#include "profile/array.h"

#include <string.h>

struct tally_row {
  enum bin_kind kind;
  uint64_t size;
  uint32_t type;
  struct figures figures;
};

struct part_row {
  struct tally_part part;
  const char *name;
};

const char *
tally_type_name(const struct profile *profile,
                const struct profile_type *type)
{
  return names_text(&profile->names,
                    type->class_name != 0 ? type->class_name : type->type);
}

/* By kind of bin, size and type. */
static int
compare_rows(const void *left, const void *right)
{
  const struct tally_row *a = left;
  const struct tally_row *b = right;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return a->type < b->type ? -1 : a->type > b->type;
}

/* By bytes, descending, then by name. */
static int
compare_parts(const void *left, const void *right)
{
  const struct part_row *a = left;
  const struct part_row *b = right;
  if (a->part.figures.bytes != b->part.figures.bytes)
    return a->part.figures.bytes > b->part.figures.bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

static struct tally_row
row_of_sample(const struct profile *profile,
              const struct profile_sample *sample)
{
  struct tally_row row = {
      .kind = BIN_SIZE,
      .size = sample->object_bytes,
      .type = sample->type,
      .figures = figures_of_sample(sample, &profile->types[sample->type]),
  };
  if (sample->size_kind == SIZE_GROWTH)
    row.kind = BIN_GROWTH;
  else if (sample->size_kind == SIZE_UNKNOWN)
    row.kind = BIN_UNKNOWN;
  else if (sample->size_kind == SIZE_LARGE || row.size > LARGEST_BIN)
    row.kind = BIN_LARGE;
  if (row.kind != BIN_SIZE)
    row.size = 0;
  return row;
}

/* Turns COUNT sorted ROWS into bins and parts, for which there is room. */
static void
collect_bins(struct tally *tally, const struct tally_row *rows, size_t count)
{
  size_t part_count = 0;
  for (size_t i = 0; i < count; i++) {
    bool new_bin = i == 0 || rows[i].kind != rows[i - 1].kind ||
                   rows[i].size != rows[i - 1].size;
    if (new_bin)
      tally->bins[tally->bin_count++] = (struct tally_bin){
          .kind = rows[i].kind,
          .size = rows[i].size,
          .first_part = part_count,
      };
    struct tally_bin *bin = &tally->bins[tally->bin_count - 1];
    if (new_bin || rows[i].type != rows[i - 1].type) {
      tally->parts[part_count++] = (struct tally_part){.type = rows[i].type};
      bin->part_count++;
    }
    figures_add(&bin->figures, &rows[i].figures);
    figures_add(&tally->parts[part_count - 1].figures, &rows[i].figures);
  }
}

/* Puts the parts of each bin in order; SCRATCH has room for all. */
static void
order_parts(struct tally *tally, const struct profile *profile,
            struct part_row *scratch)
{
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct tally_bin *bin = &tally->bins[i];
    struct tally_part *parts = tally->parts + bin->first_part;
    for (size_t j = 0; j < bin->part_count; j++)
      scratch[j] = (struct part_row){
          parts[j], tally_type_name(profile, &profile->types[parts[j].type])};
    array_sort(scratch, bin->part_count, sizeof *scratch, compare_parts);
    for (size_t j = 0; j < bin->part_count; j++)
      parts[j] = scratch[j].part;
  }
}

bool
tally_init(struct tally *tally, const struct selection *selection,
           struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  memset(tally, 0, sizeof *tally);
  struct tally_row *rows = array_zeroed(profile->sample_count, sizeof *rows);
  struct part_row *scratch =
      array_zeroed(profile->sample_count, sizeof *scratch);
  tally->types = array_zeroed(profile->type_count, sizeof *tally->types);
  tally->threads =
      array_zeroed(profile->thread_count, sizeof *tally->threads);
  tally->regions =
      array_zeroed(profile->region_count, sizeof *tally->regions);
  tally->bins = array_zeroed(profile->sample_count, sizeof *tally->bins);
  tally->parts = array_zeroed(profile->sample_count, sizeof *tally->parts);
  bool good = rows != NULL && scratch != NULL && tally->types != NULL &&
              tally->threads != NULL && tally->regions != NULL &&
              tally->bins != NULL && tally->parts != NULL;
  if (good) {
    size_t count = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
      const struct profile_sample *sample = &profile->samples[i];
      if (!selection->kept[i] || (sample->allocs == 0 && sample->bytes == 0))
        continue;
      rows[count] = row_of_sample(profile, sample);
      figures_add(&tally->types[sample->type], &rows[count].figures);
      figures_add(&tally->phases[selection->phases[i]], &rows[count].figures);
      figures_add(&tally->threads[sample->thread], &rows[count].figures);
      figures_add(&tally->regions[sample->region], &rows[count].figures);
      count++;
    }
    array_sort(rows, count, sizeof *rows, compare_rows);
    collect_bins(tally, rows, count);
    order_parts(tally, profile, scratch);
  }
  free(rows);
  free(scratch);
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
