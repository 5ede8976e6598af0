/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over the samples adds to a part for each bin and type; these are
 * few, and sorted at the end.  Regions are found by their paths; what the
 * samples of one have goes up into all around it.
 */

#include "analysis/tally.h"

#include "base/array.h"
#include "common/pprof_format.h"
#include "common/region_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
tally_type_name(const struct profile *profile,
                const struct profile_type *type)
{
  return names_text(&profile->names,
                    type->class_name != 0 ? type->class_name : type->type);
}

/* Orders parts by bin; in a bin by bytes, descending, then by name and by
 * type. */
static int
compare_parts(const void *left, const void *right, void *context)
{
  const struct type_part *a = left, *b = right;
  const struct profile *profile = context;
  return array_order(a->group, b->group)
             ?: array_order(b->figures.bytes, a->figures.bytes)
             ?: strcmp(tally_type_name(profile, &profile->types[a->type]),
                       tally_type_name(profile, &profile->types[b->type]))
             ?: array_order(a->type, b->type);
}

/* Returns the number of the bin for objects of the size BYTES, of KIND: the
 * size, or a larger number for other kinds.  Bins are in its order. */
static uint32_t
bin_number(enum size_kind kind, uint64_t bytes)
{
  if (kind == SIZE_GROWTH)
    return LARGEST_BIN + BIN_GROWTH;
  if (kind == SIZE_UNKNOWN)
    return LARGEST_BIN + BIN_UNKNOWN;
  return kind == SIZE_LARGE || bytes > LARGEST_BIN ? LARGEST_BIN + BIN_LARGE
                                                   : (uint32_t)bytes;
}

size_t
tally_bin_of(const struct tally *tally, enum size_kind kind, uint64_t bytes)
{
  const uint32_t number = bin_number(kind, bytes);
  size_t low = 0;
  for (size_t high = tally->bin_count; high - low > 1;) {
    const size_t middle = (low + high) / 2;
    const struct tally_bin *bin = &tally->bins[middle];
    const uint64_t its =
        bin->kind == BIN_SIZE ? bin->size : LARGEST_BIN + (uint64_t)bin->kind;
    *(its <= number ? &low : &high) = middle;
  }
  return low;
}

/* The parts on their way. */
struct parts {
  struct index_map known; /* by bin and type */
  size_t capacity;
};

/* Adds FIGURES to the part that COUNT belongs to. */
static void
add_part(struct tally *tally, struct parts *parts,
         const struct sample_count *count, const struct figures *figures)
{
  const uint32_t bin = bin_number(count->size_kind, count->object_bytes);
  uint32_t i = index_map_number(&parts->known, index_pair(bin, count->type));
  if (i == tally->part_count)
    ARRAY_PUSH(tally->parts, tally->part_count, parts->capacity,
               (struct type_part){.group = bin, .type = count->type});
  figures_add(&tally->parts[i].figures, figures);
}

/* Puts the parts in order and makes the bins of them. */
static void
collect_bins(struct tally *tally, const struct profile *profile)
{
  const size_t count = tally->part_count;
  uint32_t last = UINT32_MAX;
  tally->bins = pool_zeroed(count, sizeof *tally->bins);
  if (count > 0)
    qsort_r(tally->parts, count, sizeof *tally->parts, compare_parts,
            (void *)profile);
  for (size_t i = 0; i < count; i++) {
    struct type_part *part = &tally->parts[i];
    const uint32_t number = part->group;
    if (number != last)
      tally->bins[tally->bin_count++] = (struct tally_bin){
          .kind = number > LARGEST_BIN ? (enum bin_kind)(number - LARGEST_BIN)
                                       : BIN_SIZE,
          .size = number > LARGEST_BIN ? 0 : number,
          .first_part = i};
    last = number;
    part->group = (uint32_t)tally->bin_count - 1;
    struct tally_bin *bin = &tally->bins[part->group];
    bin->part_count++;
    figures_add(&bin->figures, &part->figures);
    figures_add(&tally->types[part->type], &part->figures);
  }
}

void
tally_init(struct tally *tally, const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  struct parts parts = {0};
  *tally = (struct tally){
      .types = pool_zeroed(profile->type_count, sizeof *tally->types),
      .threads = pool_zeroed(profile->thread_count, sizeof *tally->threads),
      .regions = pool_zeroed(profile->region_count, sizeof *tally->regions),
  };
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_labels *labels =
        &profile->labels[profile->samples[i].labels];
    struct sample_count count;
    if (!selection_keeps(selection, i))
      continue;
    selection_count(selection, i, &count);
    struct figures figures = figures_of(profile, &count);
    figures_add(&tally->phases[selection_phase(selection, i)], &figures);
    figures_add(&tally->threads[labels->thread], &figures);
    figures_add(&tally->regions[labels->region], &figures);
    add_part(tally, &parts, &count, &figures);
  }
  collect_bins(tally, profile);
}

/* ---- named regions ---- */

/* Returns the region with PATH, added when new.  Until all are there, row i
 * stands for the path with the id i + 1. */
static struct region_row *
region_of(struct region_figures *regions, const char *path)
{
  uint32_t name = names_intern(&regions->paths, path);
  if (name > regions->count)
    ARRAY_PUSH(regions->rows, regions->count, regions->capacity,
               (struct region_row){0});
  return &regions->rows[name - 1];
}

/* Adds what TEXT, the comment of a region, says; one that cannot be read says
 * nothing. */
static void
add_comment(struct region_figures *regions, const char *text)
{
  uint64_t entered, spent, first, last, held = 0;
  char held_text[24];
  int length = -1;
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %23s %n",
             &entered, &spent, &first, &last, held_text, &length) != 5 ||
      length < 0 || text[length] == '\0')
    return;
  bool knows_held = strcmp(held_text, "-") != 0;
  if (knows_held && sscanf(held_text, "%" SCNu64, &held) != 1)
    return;
  struct region_row *region = region_of(regions, text + length);
  region->entered += entered;
  region->spent += spent;
  region->held += held;
  region->knows_held = region->knows_held || knows_held;
  if (region->first == 0 || (first != 0 && first < region->first))
    region->first = first;
  if (last > region->last)
    region->last = last;
}

/* Orders regions by path, a name before a longer one and ";" before all else,
 * so that a region comes before those in it. */
static int
compare_paths(const void *left, const void *right)
{
  const char *a = ((const struct region_row *)left)->path;
  const char *b = ((const struct region_row *)right)->path;
  for (; *a != '\0' && *a == *b; a++)
    b++;
  return array_order(*a == ';' ? 1 : (unsigned char)*a,
                     *b == ';' ? 1 : (unsigned char)*b);
}

void
region_figures_init(struct region_figures *regions,
                    const struct profile *profile,
                    const struct figures *by_region)
{
  *regions = (struct region_figures){.count = 0};
  names_init(&regions->paths);
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text =
        profile_comment_value(profile, i, PPROF_COMMENT_REGION);
    if (text != NULL)
      add_comment(regions, text);
  }
  for (size_t i = 0; i < profile->region_count; i++) {
    const char *path = names_text(&profile->names, profile->regions[i]);
    for (size_t length = strlen(path); length > 0;
         length = region_path_outer(path, length)) { /* and all around it */
      char *outer = pool_text_part(path, length);
      figures_add(&region_of(regions, outer)->figures, &by_region[i]);
      pool_free(outer);
    }
  }
  for (size_t i = 0; i < regions->count; i++)
    regions->rows[i].path = names_text(&regions->paths, (uint32_t)i + 1);
  array_sort(regions->rows, regions->count, sizeof *regions->rows,
             compare_paths);
}
