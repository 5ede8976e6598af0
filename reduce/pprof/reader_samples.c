/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is taken apart (sample_fields.c), its chain
 * becomes a node of the tree, its labels a set; then it is forgotten.  Calls
 * that the file leaves out come last (stated_calls.c).
 *
 * Chains of neighbours have much in common: the path of the last one is kept,
 * so that a chain costs a search for what it does not share with it.
 */

#include "pprof/reading.h"

#include "base/array.h"
#include "base/progress.h"
#include "pprof/sample_fields.h"
#include "pprof/stated_calls.h"

#include <inttypes.h>

struct decoding {
  struct reading *reading;
  struct sample_fields fields; /* of the sample in hand */
  struct numbers last;         /* locations of the one before */
  uint32_t *path; /* nodes of the last chain, the root's child first */
  size_t path_length, path_capacity;
  uint64_t frames; /* of all nodes */
  struct stated_calls calls;
  uint64_t sums[COLUMN_USES]; /* of the file's samples */
  uint64_t *row; /* values of a sample in the profile's columns */
};

/* The number of the location ID.  Most programs count locations from 1 in the
 * order in which they write them. */
static uint32_t
find_location(const struct reading *reading, uint64_t id)
{
  if (id - 1 < reading->locations_in_order)
    return reading->locations[id - 1];
  return index_map_find(&reading->location_ids, id);
}

/* How many locations from the root on the chain in hand has in common with
 * the last one. */
static size_t
shared_with_last(const struct decoding *decoding)
{
  const struct numbers *ids = &decoding->fields.locations;
  const struct numbers *last = &decoding->last;
  size_t most = ids->count < decoding->path_length ? ids->count
                                                   : decoding->path_length;
  size_t shared = 0;
  while (shared < most && ids->items[ids->count - 1 - shared] ==
                              last->items[last->count - 1 - shared])
    shared++;
  return shared;
}

/* Appends the node of LOCATION to the path. */
static uint32_t
step(struct decoding *decoding, uint32_t location)
{
  struct profile *profile = decoding->reading->profile;
  size_t depth = decoding->path_length;
  uint32_t *path = array_reserve(decoding->path, &decoding->path_capacity,
                                 depth + 1, sizeof *path);
  if (path == NULL)
    return INDEX_NONE;
  decoding->path = path;
  size_t known = profile->tree.count;
  path[depth] =
      tree_child(&profile->tree, depth == 0 ? TREE_ROOT : path[depth - 1],
                 location);
  decoding->path_length += path[depth] != INDEX_NONE;
  if (profile->tree.count > known) {
    uint32_t lines = profile->locations[location].line_count;
    decoding->frames += lines == 0 ? 1 : lines;
  }
  return path[depth];
}

/* Checks that what the samples up to INDEX take is within the limits: the
 * nodes, and of each frame of a node what later stages make of it. */
static bool
within_limits(struct decoding *decoding, size_t index)
{
  enum { SLOT_BYTES = 16, FRAME_BYTES = 16 };
  struct reading *reading = decoding->reading;
  const struct profile *profile = reading->profile;
  uint64_t most =
      input_file_decoded_limit(&reading->file, reading->options->limits);
  uint64_t taken =
      profile->tree.count * (sizeof *profile->tree.nodes + SLOT_BYTES) +
      decoding->frames * FRAME_BYTES +
      profile->label_rows.word_count * sizeof *profile->label_rows.words +
      profile->label_rows.row_count * sizeof *profile->labels +
      profile->sample_count * profile->column_count * sizeof *profile->values;
  return taken <= most ||
         reading_fault(reading, PPROF_SAMPLE, index,
                       "the chains up to sample %zu take more than %" PRIu64
                       " bytes",
                       index, most);
}

/* Sets *NODE to that of the chain in hand, of the sample INDEX, which becomes
 * the last one. */
static bool
find_node(struct decoding *decoding, size_t index, uint32_t *node)
{
  struct reading *reading = decoding->reading;
  const struct numbers *ids = &decoding->fields.locations;
  decoding->path_length = shared_with_last(decoding);
  for (size_t i = ids->count - decoding->path_length; i-- > 0;) {
    uint32_t location = find_location(reading, ids->items[i]);
    if (location == INDEX_NONE)
      return reading_fault(reading, PPROF_SAMPLE, index,
                           "sample %zu refers to location %" PRIu64
                           ", which is missing",
                           index, ids->items[i]);
    if (step(decoding, location) == INDEX_NONE)
      return mprof_error_memory(reading->error);
  }
  *node = ids->count == 0 ? (uint32_t)TREE_ROOT
                          : decoding->path[ids->count - 1];
  struct numbers last = decoding->last;
  decoding->last = decoding->fields.locations;
  decoding->fields.locations = last;
  return within_limits(decoding, index);
}

/* Checks the values of the sample in hand, the INDEX-th. */
static bool
check_values(struct decoding *decoding, size_t index)
{
  struct reading *reading = decoding->reading;
  const struct numbers *values = &decoding->fields.values;
  size_t wanted = reading->heading.column_count;
  if (values->count != wanted)
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "sample %zu has %zu values where there are %zu "
                         "sample types",
                         index, values->count, wanted);
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] > INT64_MAX)
      return reading_fault(reading, PPROF_SAMPLE, index,
                           "sample %zu has the negative value %" PRId64,
                           index, (int64_t)values->items[i]);
  return true;
}

/* What column USE of the sample in hand says; false when that is no number of
 * 64 bits. */
static bool
value_of(const struct decoding *decoding, int use, uint64_t *value)
{
  struct profile_column column = decoding->reading->heading.column_of[use];
  *value =
      column.index == NO_COLUMN ? 0
                                : decoding->fields.values.items[column.index];
  return !__builtin_mul_overflow(*value, column.scale, value);
}

/* Adds the sample in hand, the INDEX-th, to all sums; they must stay within
 * 63 bits. */
static bool
add_to_sums(struct decoding *decoding, size_t index)
{
  struct reading *reading = decoding->reading;
  uint64_t v[COLUMN_USES];
  for (int i = 0; i < COLUMN_USES; i++) {
    uint64_t *total = &reading->profile->total[i]; /* of all files */
    if (!value_of(decoding, i, &v[i]) ||
        v[i] > (uint64_t)INT64_MAX - *total)
      return reading_fault(reading, PPROF_SAMPLE, index,
                           "the sums overflow at sample %zu", index);
    decoding->sums[i] += v[i];
    *total += v[i];
  }
  if (!reading->claims.by_mprof)
    return true;
  if (v[MEASURE_KEPT_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_KEPT_BYTES] > v[MEASURE_BYTES])
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "sample %zu keeps more than it allocated", index);
  if (v[MEASURE_PEAK_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_PEAK_BYTES] > v[MEASURE_BYTES] ||
      v[MEASURE_TEMPORARY_ALLOCS] > v[MEASURE_ALLOCS])
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "sample %zu has more objects at the peak, or more "
                         "temporary ones, than it allocated",
                         index);
  return true;
}

/* Puts the values in hand into the row, in columns of the profile. */
static void
fill_row(struct decoding *decoding)
{
  const struct reading *reading = decoding->reading;
  const struct profile *profile = reading->profile;
  const uint64_t *values = decoding->fields.values.items;
  if (reading->columns != NULL)
    for (size_t i = 0; i < reading->heading.column_count; i++)
      decoding->row[reading->columns[i]] = values[i];
  else
    for (int i = 0; i < COLUMN_USES; i++)
      if (profile_has(profile, i))
        value_of(decoding, i, &decoding->row[profile->column_of[i].index]);
}

/* Reads the sample INDEX, SIZE bytes at DATA. */
static bool
read_sample(struct decoding *decoding, const uint8_t *data, size_t size,
            size_t index)
{
  struct reading *reading = decoding->reading;
  struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  const struct numbers *labels = &decoding->fields.labels;
  const struct numbers *values = &decoding->fields.values;
  struct profile_sample sample;
  if (!sample_fields_read(&decoding->fields, reading, data, size, index) ||
      !check_values(decoding, index) || !add_to_sums(decoding, index) ||
      !find_node(decoding, index, &sample.node))
    return false;
  if (decoding->calls.active && sample.node != TREE_ROOT &&
      states_calls(heading, values->items, labels->count))
    return stated_calls_note(
        &decoding->calls, reading, sample.node,
        values->items[heading->column_of[COLUMN_OF_CALLS].index]);
  fill_row(decoding);
  sample.labels = profile_labels(profile, labels->items, labels->count);
  return (sample.labels != INDEX_NONE &&
          profile_add_sample(profile, sample, decoding->row)) ||
         mprof_error_memory(reading->error);
}

static void
release(struct decoding *decoding)
{
  sample_fields_release(&decoding->fields);
  stated_calls_release(&decoding->calls);
  free(decoding->last.items);
  free(decoding->path);
  free(decoding->row);
}

bool
reading_samples(struct reading *reading)
{
  struct profile *profile = reading->profile;
  const struct input_file *file = &reading->file;
  struct decoding decoding = {.reading = reading};
  struct wire_field field;
  size_t count = 0;
  const struct profile *heading = &reading->heading;
  decoding.fields.labels_source =
      (reading->claims.by_mprof ? LABELS_BY_MPROF : 0u) |
      (profile_has(heading, MEASURE_ALLOCS) ? LABELS_COUNT_OBJECTS : 0u) |
      (heading->language == LANGUAGE_LISP ? LABELS_OF_LISP : 0u);
  decoding.row = array_zeroed(profile->column_count, sizeof *decoding.row);
  bool good = (decoding.row != NULL || mprof_error_memory(reading->error)) &&
              stated_calls_init(&decoding.calls, reading);
  for (size_t at = 0; good && at < file->length;) {
    wire_read_field(file->data, &at, &field);
    if (field.number != PPROF_SAMPLE)
      continue;
    progress_tell(reading->options->progress, "reading", at, file->length);
    good = read_sample(&decoding, field.bytes, field.size, count++);
  }
  good = good && stated_calls_add(&decoding.calls, reading, count,
                                  decoding.fields.labels_source);
  good = good && reading_check_claims(reading, decoding.sums);
  release(&decoding);
  return good;
}
