/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is decoded into arrays that the next one uses
 * again, its chain becomes a node of the tree, its labels a set; then it is
 * forgotten.  (protobuf-c's own decoder makes a block of memory for each
 * array, message and label: all of 1.3 million samples took 2.1 GB.)
 *
 * Chains of neighbours have much in common: the path of the last one is kept,
 * so that a chain costs a search for what it does not share with it.
 *
 * A profile of a C program may leave calls to its reader to add up: a call
 * counts once for each allocation made below it, so the calls of a chain that
 * others go through are the sum of their allocations.  Only what is not so is
 * stated (mprof-formats(5), Activations).  In the tree that is one pass from
 * the last node to the first.
 */

#include "pprof/reading.h"

#include "base/array.h"
#include "base/progress.h"

#include <inttypes.h>
#include <string.h>

/* Numbers that are being collected. */
struct numbers {
  uint64_t *items; /* owned */
  size_t count, capacity;
};

struct decoding {
  struct reading *reading;
  struct numbers locations; /* of the sample in hand: ids, the leaf first */
  struct numbers last;      /* those of the sample before */
  struct numbers hidden;    /* what they leave out: PPROF_SAMPLE_HIDDEN */
  struct numbers whole;     /* both: to become the locations */
  struct numbers values, labels;
  uint32_t *path; /* nodes of the last chain, the root's child first */
  size_t path_length, path_capacity;
  uint64_t frames; /* of all nodes */
  uint64_t labels_source; /* first word of each set */
  bool adds_calls;
  uint64_t calls_stated; /* by how many samples */
  uint64_t *stated; /* by node: calls + 1, 0 when they are not stated */
  size_t stated_count, stated_capacity;
  uint64_t sums[COLUMN_USES]; /* of the file's samples */
  uint64_t *row;              /* values of a sample in the profile's columns */
};

/* Appends the number VALUE to NUMBERS. */
static bool
push(struct numbers *numbers, uint64_t value)
{
  uint64_t *items = array_reserve(numbers->items, &numbers->capacity,
                                  numbers->count + 1, sizeof *items);
  if (items == NULL)
    return false;
  numbers->items = items;
  items[numbers->count++] = value;
  return true;
}

/* Appends the numbers of FIELD, one or a packed run of them. */
static bool
push_field(struct numbers *numbers, const struct wire_field *field)
{
  if (field->bytes == NULL)
    return push(numbers, field->value);
  uint64_t *items =
      array_reserve(numbers->items, &numbers->capacity,
                    numbers->count + field->size + 1, sizeof *items);
  if (items == NULL)
    return false;
  numbers->items = items;
  size_t count = numbers->count;
  for (size_t at = 0; at < field->size;)
    items[count++] = wire_read_number(field->bytes, &at);
  numbers->count = count;
  return true;
}

/* Appends the label in FIELD to the row, as words of profile.h. */
static bool
push_label(struct decoding *decoding, const struct wire_field *field,
           size_t index)
{
  struct reading *reading = decoding->reading;
  uint64_t f[PPROF_LABEL_UNIT + 1];
  uint32_t key, text, unit;
  reading_numbers(field->bytes, field->size, f, sizeof f / sizeof f[0]);
  if (!reading_string(reading, f[PPROF_LABEL_KEY], &key) ||
      !reading_string(reading, f[PPROF_LABEL_TEXT], &text) ||
      !reading_string(reading, f[PPROF_LABEL_UNIT], &unit))
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "a label of sample %zu refers to a missing string",
                         index);
  if ((int64_t)f[PPROF_LABEL_NUMBER] < 0 && text == 0 &&
      strcmp(names_text(&reading->profile->names, key), PPROF_LABEL_BYTES) ==
          0)
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "sample %zu has objects of %" PRId64 " bytes", index,
                         (int64_t)f[PPROF_LABEL_NUMBER]);
  return (push(&decoding->labels, key) && push(&decoding->labels, text) &&
          push(&decoding->labels, f[PPROF_LABEL_NUMBER]) &&
          push(&decoding->labels, unit)) ||
         mprof_error_memory(reading->error);
}

/* Copies COUNT numbers; where the next ones go. */
static uint64_t *
copy(uint64_t *to, const uint64_t *from, size_t count)
{
  if (count > 0)
    memcpy(to, from, count * sizeof *to);
  return to + count;
}

/* Puts what the locations of the sample INDEX leave out in its places. */
static bool
insert_hidden(struct decoding *decoding, size_t index)
{
  struct numbers shown = decoding->locations;
  const struct numbers *hidden = &decoding->hidden;
  struct numbers *whole = &decoding->whole;
  uint64_t *items = array_reserve(whole->items, &whole->capacity,
                                  shown.count + hidden->count, sizeof *items);
  if (items == NULL)
    return mprof_error_memory(decoding->reading->error);
  whole->items = items;
  uint64_t *end = items;
  size_t taken = 0;
  for (size_t i = 0; i < hidden->count;) {
    uint64_t before = hidden->items[i++];
    uint64_t length = i < hidden->count ? hidden->items[i++] : UINT64_MAX;
    if (before > shown.count - taken || length > hidden->count - i)
      return reading_fault(decoding->reading, PPROF_SAMPLE, index,
                           "the hidden locations of sample %zu do not fit",
                           index);
    end = copy(end, shown.items + taken, before);
    end = copy(end, hidden->items + i, length);
    taken += before;
    i += length;
  }
  end = copy(end, shown.items + taken, shown.count - taken);
  whole->count = (size_t)(end - items);
  decoding->locations = *whole;
  *whole = shown;
  return true;
}

/* Takes the SIZE bytes at DATA, the sample INDEX, apart. */
static bool
decode(struct decoding *decoding, const uint8_t *data, size_t size,
       size_t index)
{
  struct wire_field field;
  decoding->locations.count = decoding->values.count = 0;
  decoding->labels.count = decoding->hidden.count = 0;
  bool good = push(&decoding->labels, decoding->labels_source);
  for (size_t at = 0; good && at < size;) {
    wire_read_field(data, &at, &field);
    if (field.number == PPROF_SAMPLE_LOCATIONS)
      good = push_field(&decoding->locations, &field);
    else if (field.number == PPROF_SAMPLE_VALUES)
      good = push_field(&decoding->values, &field);
    else if (field.number == PPROF_SAMPLE_HIDDEN)
      good = push_field(&decoding->hidden, &field);
    else if (field.number == PPROF_SAMPLE_LABEL &&
             !push_label(decoding, &field, index))
      return false;
  }
  if (!good)
    return mprof_error_memory(decoding->reading->error);
  return decoding->hidden.count == 0 || insert_hidden(decoding, index);
}

/* The number of the location ID.  Most programs count locations from 1 in the
 * order in which they write them. */
static uint32_t
find_location(const struct reading *reading, uint64_t id)
{
  if (id - 1 < reading->locations_in_order)
    return reading->locations[id - 1];
  return index_map_find(&reading->location_ids, id);
}

/* How many locations from the root on the chain in hand has in common with the
 * last one. */
static size_t
shared_with_last(const struct decoding *decoding)
{
  const struct numbers *ids = &decoding->locations;
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
  uint64_t most = input_file_decoded_limit(&reading->file, reading->options->limits);
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
  const struct numbers *ids = &decoding->locations;
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
  decoding->last = decoding->locations;
  decoding->locations = last;
  return within_limits(decoding, index);
}

/* Whether all that the sample in hand says is how many calls its chain has. */
static bool
states_calls(const struct decoding *decoding)
{
  const struct profile *heading = &decoding->reading->heading;
  if (!decoding->adds_calls || decoding->last.count == 0 ||
      decoding->labels.count > 1)
    return false;
  for (size_t i = 0; i < decoding->values.count; i++)
    if (decoding->values.items[i] != 0 &&
        i != (size_t)heading->column_of[COLUMN_OF_CALLS].index)
      return false;
  return true;
}

/* Notes that NODE has one call less than VALUE; 0 says nothing. */
static bool
state_calls(struct decoding *decoding, uint32_t node, uint64_t value)
{
  struct profile *profile = decoding->reading->profile;
  if (value == 0)
    return true;
  uint64_t *stated =
      array_reserve(decoding->stated, &decoding->stated_capacity,
                    profile->tree.count, sizeof *stated);
  if (stated == NULL)
    return mprof_error_memory(decoding->reading->error);
  decoding->stated = stated;
  for (; decoding->stated_count < profile->tree.count;
       decoding->stated_count++)
    stated[decoding->stated_count] = 0;
  decoding->calls_stated++;
  stated[node] += stated[node] == 0 ? value : value - 1;
  return true;
}

/* Checks the values of the sample in hand, the INDEX-th. */
static bool
check_values(struct decoding *decoding, size_t index)
{
  struct reading *reading = decoding->reading;
  const struct numbers *values = &decoding->values;
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
      column.index == NO_COLUMN ? 0 : decoding->values.items[column.index];
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
  const uint64_t *values = decoding->values.items;
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
  struct profile_sample sample;
  if (!decode(decoding, data, size, index) ||
      !check_values(decoding, index) || !add_to_sums(decoding, index) ||
      !find_node(decoding, index, &sample.node))
    return false;
  if (states_calls(decoding))
    return state_calls(
        decoding, sample.node,
        decoding->values
            .items[reading->heading.column_of[COLUMN_OF_CALLS].index]);
  fill_row(decoding);
  sample.labels = profile_labels(profile, decoding->labels.items,
                                 decoding->labels.count);
  return (sample.labels != INDEX_NONE &&
          profile_add_sample(profile, sample, decoding->row)) ||
         mprof_error_memory(reading->error);
}

/* Adds one sample of CALLS to NODE. */
static bool
add_calls_sample(struct decoding *decoding, uint32_t node, uint32_t labels,
                 uint64_t calls)
{
  struct profile *profile = decoding->reading->profile;
  uint64_t *row = decoding->row;
  memset(row, 0, profile->column_count * sizeof *row);
  row[profile->column_of[COLUMN_OF_CALLS].index] = calls;
  return profile_add_sample(profile, (struct profile_sample){node, labels},
                            row) ||
         mprof_error_memory(decoding->reading->error);
}

/* Fills BELOW, by node, with the allocations of longer chains in the file. */
static void
sum_below(const struct decoding *decoding, uint64_t *below)
{
  const struct profile *profile = decoding->reading->profile;
  size_t first = decoding->reading->first_sample;
  struct sample_count counted;
  for (size_t i = first; i < profile->sample_count; i++) {
    profile_count(profile, i, &counted);
    below[profile->samples[i].node] += counted.counts[MEASURE_ALLOCS];
  }
  for (size_t i = profile->tree.count; i-- > TREE_ROOT + 1;)
    below[profile->tree.nodes[i].parent] += below[i];
  for (size_t i = first; i < profile->sample_count; i++) {
    profile_count(profile, i, &counted);
    below[profile->samples[i].node] -= counted.counts[MEASURE_ALLOCS];
  }
}

/* Adds the calls that the file leaves to its reader, behind COUNT samples. */
static bool
add_calls(struct decoding *decoding, size_t count)
{
  struct reading *reading = decoding->reading;
  struct profile *profile = reading->profile;
  if (!decoding->adds_calls)
    return true;
  if (decoding->calls_stated != (uint64_t)reading->claims.stated_calls)
    return reading_fault(reading, PPROF_COMMENT, 0,
                         "mprof.stated_calls is %" PRId64 ", but %" PRIu64
                         " samples state calls",
                         reading->claims.stated_calls,
                         decoding->calls_stated);
  uint64_t *below = array_zeroed(profile->tree.count, sizeof *below);
  uint32_t labels = profile_labels(profile, &decoding->labels_source, 1);
  bool good = (below != NULL && labels != INDEX_NONE) ||
              mprof_error_memory(reading->error);
  if (good)
    sum_below(decoding, below);
  for (size_t i = TREE_ROOT + 1; good && i < profile->tree.count; i++) {
    bool stated = i < decoding->stated_count && decoding->stated[i] != 0;
    uint64_t calls = stated ? decoding->stated[i] - 1 : below[i];
    uint64_t *total = &profile->total[COLUMN_OF_CALLS];
    if (!stated && calls > (uint64_t)INT64_MAX - *total)
      good = reading_fault(reading, PPROF_SAMPLE, count,
                           "the sums overflow at sample %zu", count);
    else if (calls != 0)
      good = add_calls_sample(decoding, (uint32_t)i, labels, calls);
    *total += stated ? 0 : calls;
  }
  free(below);
  return good;
}

/* Whether calls are left to the reader.  No program of ours cuts chains as
 * well. */
static bool
settle_calls(struct decoding *decoding)
{
  struct reading *reading = decoding->reading;
  const struct profile *heading = &reading->heading;
  decoding->adds_calls = reading->claims.adds_calls &&
                         reading->claims.by_mprof &&
                         heading->language == LANGUAGE_C &&
                         profile_has(heading, COLUMN_OF_CALLS);
  return !decoding->adds_calls || heading->drop_frames == 0 ||
         reading_fault(reading, PPROF_DROP_FRAMES, 0,
                       "drop_frames and mprof.stated_calls exclude each "
                       "other");
}

static void
release(struct decoding *decoding)
{
  free(decoding->locations.items);
  free(decoding->last.items);
  free(decoding->hidden.items);
  free(decoding->whole.items);
  free(decoding->values.items);
  free(decoding->labels.items);
  free(decoding->path);
  free(decoding->stated);
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
  decoding.labels_source =
      (reading->claims.by_mprof ? LABELS_BY_MPROF : 0u) |
      (profile_has(heading, MEASURE_ALLOCS) ? LABELS_COUNT_OBJECTS : 0u) |
      (heading->language == LANGUAGE_LISP ? LABELS_OF_LISP : 0u);
  decoding.row = array_zeroed(profile->column_count, sizeof *decoding.row);
  bool good = (decoding.row != NULL || mprof_error_memory(reading->error)) &&
              settle_calls(&decoding);
  for (size_t at = 0; good && at < file->length;) {
    wire_read_field(file->data, &at, &field);
    if (field.number != PPROF_SAMPLE)
      continue;
    progress_tell(reading->options->progress, "reading", at, file->length);
    good = read_sample(&decoding, field.bytes, field.size, count++);
  }
  good = good && add_calls(&decoding, count);
  good = good && reading_check_claims(reading, decoding.sums);
  release(&decoding);
  return good;
}
