/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is taken apart into arrays that the next one
 * uses again (protobuf-c's own decoder makes a block of memory for each
 * array, message and label: all of 1.3 million samples took 2.1 GB); its
 * chain becomes a node of the tree, its labels a set; then it is forgotten.
 * Calls that the file leaves out come last (stated_calls.c).
 */

#include "base/progress.h"
#include "common/region_path.h"
#include "pprof/chain_path.h"
#include "pprof/hidden.h"
#include "pprof/reading.h"
#include "pprof/stated_calls.h"

#include <inttypes.h>
#include <string.h>

struct decoding {
  struct reading *reading;
  size_t index; /* of the sample in hand; its parts: */
  struct numbers locations; /* ids, the leaf first */
  struct numbers values;    /* in columns of the file */
  struct numbers labels;    /* a row of label_rows */
  struct numbers hidden;    /* what the locations left out: hidden.h */
  struct numbers whole; /* locations with it, while they are put together */
  bool of_malloc; /* its objects are */
  bool plain;     /* types are not wanted: all is malloc's */
  struct chain_path path;
  uint64_t memory_limit;
  uint64_t other_labels; /* bytes of those that other files have */
  struct numbers stated;      /* calls: stated_calls.h */
  uint64_t sums[COLUMN_USES]; /* of the file's samples */
  uint64_t *row; /* values of a sample in the profile's columns */
};

/* Reports a fault of the sample in hand. */
#define sample_fault(decoding, ...)                                          \
  reading_fault((decoding)->reading, PPROF_SAMPLE, (decoding)->index,        \
                __VA_ARGS__)

/* Appends the label in FIELD to the row, as words of labels.h. */
static bool
push_label(struct decoding *decoding, const struct wire_field *field)
{
  struct reading *reading = decoding->reading;
  struct numbers *labels = &decoding->labels;
  uint64_t f[PPROF_LABEL_UNIT + 1];
  if (!reading_message(reading, &label_schema, field, f))
    return sample_fault(decoding,
                        "a label of sample %zu refers to a missing string",
                        decoding->index);
  const char *key =
      names_text(&reading->profile->names, (uint32_t)f[PPROF_LABEL_KEY]);
  if ((int64_t)f[PPROF_LABEL_NUMBER] < 0 && f[PPROF_LABEL_TEXT] == 0 &&
      strcmp(key, PPROF_LABEL_BYTES) == 0)
    return sample_fault(decoding,
                        "sample %zu has objects of %" PRId64 " bytes",
                        decoding->index, (int64_t)f[PPROF_LABEL_NUMBER]);
  if (strcmp(key, PPROF_LABEL_TYPE) == 0)
    decoding->of_malloc =
        decoding->of_malloc ||
        strcmp(names_text(&reading->profile->names,
                          (uint32_t)f[PPROF_LABEL_TEXT]),
               PPROF_TYPE_OF_MALLOC) == 0;
  if (decoding->plain && (strcmp(key, PPROF_LABEL_TYPE) == 0 ||
                          strcmp(key, PPROF_LABEL_CATEGORY) == 0))
    return true;
  if (!numbers_reserve(labels, LABEL_WORDS))
    return mprof_error_memory(reading->error);
  memcpy(labels->items + labels->count, f + PPROF_LABEL_KEY,
         LABEL_WORDS * sizeof *f);
  labels->count += LABEL_WORDS;
  return true;
}

/* Puts what the locations leave out in its places. */
static bool
insert_hidden(struct decoding *decoding)
{
  struct numbers shown = decoding->locations;
  decoding->whole.count = 0;
  if (!numbers_reserve(&decoding->whole,
                       shown.count + decoding->hidden.count))
    return mprof_error_memory(decoding->reading->error);
  if (!hidden_insert(&shown, &decoding->hidden, &decoding->whole))
    return sample_fault(decoding,
                        "the hidden locations of sample %zu do not match its "
                        "frames",
                        decoding->index);
  decoding->locations = decoding->whole;
  decoding->whole = shown;
  return true;
}

/* Takes apart the sample of SIZE bytes at DATA. */
static bool
read_parts(struct decoding *decoding, const uint8_t *data, size_t size)
{
  struct wire_field field;
  bool good = true;
  decoding->locations.count = decoding->values.count = 0;
  decoding->hidden.count = 0;
  decoding->labels.count = 1; /* the first word is that of the file */
  decoding->of_malloc = decoding->reading->heading.language == LANGUAGE_C &&
                        !decoding->plain;
  for (size_t at = 0; good && at < size;) {
    wire_read_field(data, &at, &field);
    if (field.number == PPROF_SAMPLE_LOCATIONS)
      good = wire_read_numbers(&field, &decoding->locations);
    else if (field.number == PPROF_SAMPLE_VALUES)
      good = wire_read_numbers(&field, &decoding->values);
    else if (field.number == PPROF_SAMPLE_HIDDEN)
      good = wire_read_numbers(&field, &decoding->hidden);
    else if (field.number == PPROF_SAMPLE_LABEL &&
             !push_label(decoding, &field))
      return false;
  }
  if (!good)
    return mprof_error_memory(decoding->reading->error);
  return decoding->hidden.count == 0 || insert_hidden(decoding);
}

/* What the sets of labels take. */
static uint64_t
label_bytes(const struct profile *profile)
{
  return profile->label_rows.word_count * sizeof *profile->label_rows.words +
         profile->label_rows.row_count * sizeof *profile->labels;
}

/* Checks that what the samples take so far is within the limits, with what
 * all stages together make of it. */
static bool
within_limits(struct decoding *decoding)
{
  enum { FRAME_BYTES = 256, SAMPLE_BYTES = 192, SURVIVAL_BYTES = 640 };
  struct reading *reading = decoding->reading;
  const struct profile *profile = reading->profile;
  uint64_t samples = profile->sample_count - reading->first_sample +
                     (reading->adds_calls ? decoding->path.frames : 0);
  uint64_t survival =
      profile_has(profile, COLUMN_OF_SURVIVAL) ? SURVIVAL_BYTES : 0;
  uint64_t taken =
      decoding->path.frames * FRAME_BYTES +
      (label_bytes(profile) - decoding->other_labels) +
      samples * (SAMPLE_BYTES + survival +
                 profile->column_count * sizeof *profile->values);
  return taken <= decoding->memory_limit ||
         sample_fault(decoding,
                      "the chains up to sample %zu take more than %" PRIu64
                      " bytes",
                      decoding->index, decoding->memory_limit);
}

/* Checks the values in hand. */
static bool
check_values(struct decoding *decoding)
{
  const struct numbers *values = &decoding->values;
  size_t wanted = decoding->reading->heading.column_count;
  if (values->count != wanted)
    return sample_fault(decoding,
                        "sample %zu has %zu values where there are %zu "
                        "sample types",
                        decoding->index, values->count, wanted);
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] > INT64_MAX)
      return sample_fault(decoding,
                          "sample %zu has the negative value %" PRId64,
                          decoding->index, (int64_t)values->items[i]);
  return true;
}

/* Whether WHOLE, objects or bytes, is no less than what died of it, is new and
 * lives: every second one of COUNTS. */
static bool
has_survival(uint64_t whole, const uint64_t *counts)
{
  for (int i = 0; i < PPROF_SURVIVAL_FIGURES; i += 2) {
    if (counts[i] > whole)
      return false;
    whole -= counts[i];
  }
  return true;
}

/* Adds the values in hand to all sums; they must stay within 63 bits. */
static bool
add_to_sums(struct decoding *decoding)
{
  struct reading *reading = decoding->reading;
  uint64_t v[COLUMN_USES] = {0};
  for (int i = 0; i < COLUMN_USES; i++) {
    struct profile_column column = reading->heading.column_of[i];
    uint64_t *total = &reading->profile->total[i];
    if (column.index == NO_COLUMN)
      continue;
    if (__builtin_mul_overflow(decoding->values.items[column.index],
                               column.scale, &v[i]) ||
        v[i] > (uint64_t)INT64_MAX - *total)
      return sample_fault(decoding, "the sums overflow at sample %zu",
                          decoding->index);
    decoding->sums[i] += v[i];
    *total += v[i];
  }
  if (!reading->heading.by_mprof)
    return true;
  if (v[MEASURE_KEPT_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_KEPT_BYTES] > v[MEASURE_BYTES])
    return sample_fault(decoding, "sample %zu keeps more than it allocated",
                        decoding->index);
  if (v[MEASURE_LOST_ALLOCS] + v[COLUMN_OF_INDIRECT_ALLOCS] >
          v[MEASURE_KEPT_ALLOCS] ||
      v[MEASURE_LOST_BYTES] + v[COLUMN_OF_INDIRECT_BYTES] >
          v[MEASURE_KEPT_BYTES])
    return sample_fault(decoding, "sample %zu has lost more than it kept",
                        decoding->index);
  if (v[MEASURE_PEAK_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_PEAK_BYTES] > v[MEASURE_BYTES] ||
      v[MEASURE_TEMPORARY_ALLOCS] > v[MEASURE_ALLOCS])
    return sample_fault(decoding,
                        "sample %zu has more objects at the peak, or more "
                        "temporary ones, than it allocated",
                        decoding->index);
  if (!has_survival(v[MEASURE_ALLOCS], v + COLUMN_OF_SURVIVAL) ||
      !has_survival(v[MEASURE_BYTES], v + COLUMN_OF_SURVIVAL + 1))
    return sample_fault(decoding,
                        "sample %zu has more dead and live objects than it "
                        "allocated",
                        decoding->index);
  return true;
}

/* Whether the sample in hand, of objects, is of the heap that is wanted. */
static bool
is_wanted(const struct decoding *decoding)
{
  enum heap heap = decoding->reading->options->heap;
  return heap == HEAP_BOTH || decoding->of_malloc == (heap == HEAP_MALLOC);
}

/* Takes the values in hand off the sums of the profile. */
static void
take_off_sums(struct decoding *decoding)
{
  struct reading *reading = decoding->reading;
  for (int i = 0; i < COLUMN_USES; i++) {
    struct profile_column column = reading->heading.column_of[i];
    if (column.index != NO_COLUMN)
      reading->profile->total[i] -=
          decoding->values.items[column.index] * column.scale;
  }
}

/* Sets *LABELS to the set in hand. */
static bool
find_labels(struct decoding *decoding, uint32_t *labels)
{
  enum { MOST_REGIONS = 64 }; /* within one another, as in the monitor */
  struct profile *profile = decoding->reading->profile;
  size_t known = profile->region_count;
  *labels = profile_labels(profile, decoding->labels.items,
                           decoding->labels.count);
  if (*labels == INDEX_NONE)
    return mprof_error_memory(decoding->reading->error);
  if (known == profile->region_count)
    return true;
  const char *path = names_text(&profile->names, profile->regions[known]);
  size_t depth = 0;
  for (size_t length = strlen(path); length > 0 && depth <= MOST_REGIONS;
       length = region_path_outer(path, length))
    depth++;
  return depth <= MOST_REGIONS ||
         sample_fault(decoding,
                      "sample %zu is in more than %d nested regions",
                      decoding->index, MOST_REGIONS);
}

static bool
names_fault(struct decoding *decoding)
{
  return sample_fault(decoding,
                      "the names in the chains and labels up to sample %zu "
                      "are too long for a file of this size",
                      decoding->index);
}

/* Reads the sample of SIZE bytes at DATA. */
static bool
read_sample(struct decoding *decoding, const uint8_t *data, size_t size)
{
  struct reading *reading = decoding->reading;
  struct profile *profile = reading->profile;
  const struct numbers *labels = &decoding->labels;
  struct profile_sample sample;
  struct path_step end;
  if (!read_parts(decoding, data, size) || !check_values(decoding) ||
      !add_to_sums(decoding) ||
      !chain_path_find(&decoding->path, reading, decoding->index,
                       &decoding->locations, &end) ||
      !within_limits(decoding))
    return false;
  sample.node = end.node;
  if (!reading_add_text(reading, end.text))
    return names_fault(decoding);
  const uint64_t *values = decoding->values.items;
  if (reading->adds_calls && sample.node != TREE_ROOT &&
      states_calls(&reading->heading, values, labels->count)) {
    uint64_t value =
        values[reading->heading.column_of[COLUMN_OF_CALLS].index];
    return value == 0 ||
           (numbers_push(&decoding->stated, sample.node) &&
            numbers_push(&decoding->stated, value)) ||
           mprof_error_memory(reading->error);
  }
  if (!is_wanted(decoding) &&
      !states_calls(&reading->heading, values, labels->count)) {
    take_off_sums(decoding);
    return true;
  }
  reading_convert(reading->sources, profile->column_count, values,
                  decoding->row);
  if (!find_labels(decoding, &sample.labels))
    return false;
  if (!reading_add_text(reading, profile->labels[sample.labels].text))
    return names_fault(decoding);
  return profile_add_sample(profile, sample, decoding->row) ||
         mprof_error_memory(reading->error);
}

static void
release(struct decoding *decoding)
{
  free(decoding->locations.items);
  free(decoding->values.items);
  free(decoding->labels.items);
  free(decoding->hidden.items);
  free(decoding->whole.items);
  chain_path_release(&decoding->path);
  free(decoding->stated.items);
  free(decoding->row);
}

bool
reading_samples(struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  const struct input_file *file = &reading->file;
  struct decoding decoding = {
      .reading = reading,
      .memory_limit =
          input_file_memory_limit(file, reading->options->limits),
      .other_labels = label_bytes(reading->profile),
      .plain = heading->language == LANGUAGE_LISP &&
               reading->options->heap == HEAP_MALLOC};
  if (decoding.plain)
    reading->heading.language = LANGUAGE_C;
  uint64_t source =
      (heading->by_mprof ? LABELS_BY_MPROF : 0u) |
      (profile_has(heading, MEASURE_ALLOCS) ? LABELS_COUNT_OBJECTS : 0u) |
      (heading->language == LANGUAGE_LISP ? LABELS_OF_LISP : 0u);
  decoding.row =
      array_zeroed(reading->profile->column_count, sizeof *decoding.row);
  bool good = (chain_path_init(&decoding.path, reading->profile) &&
               decoding.row != NULL &&
               numbers_push(&decoding.labels, source)) ||
              mprof_error_memory(reading->error);
  for (size_t at = 0; good && at < file->length;) {
    struct wire_field field;
    wire_read_field(file->data, &at, &field);
    if (field.number != PPROF_SAMPLE)
      continue;
    progress_tell(reading->options->progress, "reading", at, file->length);
    good = read_sample(&decoding, field.bytes, field.size);
    decoding.index++;
  }
  if (good && reading->adds_calls)
    good = reading_add_calls(reading, &decoding.stated, decoding.index,
                             source);
  good = good && reading_check_facts(reading, decoding.sums);
  release(&decoding);
  return good;
}
