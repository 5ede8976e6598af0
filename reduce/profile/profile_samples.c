/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is decoded, turned into what the profile
 * keeps of it, and forgotten.  Columns and comments come first: they say what
 * the values mean; at the end the sums are compared with those stated, and
 * calls are added up where the file leaves that to its reader (call_sums.h).
 */

#include "profile/profile_samples.h"

#include "io/progress.h"
#include "profile/phase.h"
#include "profile/wire_sample.h"
#include "profile/wire_scan.h"

#include <inttypes.h>
#include <string.h>

/* The sums over one file. */
struct file_sums {
  uint64_t allocs, bytes;
};

/* The labels that matter. */
struct labels {
  uint32_t type, class_name;
  uint32_t thread, region;
  enum phase phase; /* PHASE_COUNT: none */
  const char *category;
  bool has_bytes;
  uint64_t bytes;
};

/* Adds VALUE to *SUM; false when the sum leaves 63 bits. */
static bool
add_value(uint64_t *sum, uint64_t value)
{
  if (value > (uint64_t)INT64_MAX - *sum)
    return false;
  *sum += value;
  return true;
}

/* Reads the labels of SAMPLE, the INDEX-th. */
static bool
read_labels(struct reading *reading, const struct wire_sample *sample,
            size_t index, struct labels *labels)
{
  const struct names *names = &reading->profile->names;
  for (size_t i = 0; i < sample->label_count; i++) {
    const struct wire_label *label = &sample->labels[i];
    uint32_t key;
    uint32_t text;
    uint32_t unit;
    if (!reading_string(reading, label->key, &key) ||
        !reading_string(reading, label->text, &text) ||
        !reading_string(reading, label->unit, &unit))
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "a label of sample %zu refers to a missing string",
                           index);
    const char *name = names_text(names, key);
    if (strcmp(name, "bytes") == 0 && text == 0) {
      if (label->number < 0)
        return reading_fault(reading, FIELD_SAMPLE, index,
                             "sample %zu has objects of %" PRId64 " bytes",
                             index, label->number);
      labels->has_bytes = true;
      labels->bytes = (uint64_t)label->number;
    } else if (strcmp(name, "thread") == 0) {
      labels->thread = text;
    } else if (strcmp(name, "region") == 0) {
      labels->region = text;
    } else if (strcmp(name, "phase") == 0) {
      const char *word = names_text(names, text);
      labels->phase = phase_of_word(word, strlen(word));
    } else if (strcmp(name, "type") == 0) {
      labels->type = text;
    } else if (strcmp(name, "class") == 0) {
      labels->class_name = text;
    } else if (strcmp(name, "category") == 0) {
      labels->category = names_text(names, text);
    }
  }
  return true;
}

/* The number of the location ID.  Most programs count locations from 1 in the
 * order in which they write them. */
static uint32_t
find_location(const struct reading *reading, uint64_t id)
{
  const Mprof__Pprof__Profile *message = reading->message;
  if (id - 1 < message->n_location && message->location[id - 1]->id == id)
    return (uint32_t)(id - 1);
  return index_map_find(&reading->location_ids, id);
}

/* The place in SAMPLE's chain of the first location, from the leaf, that is
 * not to be cut off: see profile_prune.h. */
static size_t
find_leaf(const struct reading *reading, const struct wire_sample *sample)
{
  bool user = false;
  for (size_t i = sample->location_count; i-- > 0;) {
    uint32_t location = find_location(reading, sample->locations[i]);
    unsigned char mark = location == INDEX_NONE
                             ? PRUNE_NOTHING
                             : reading->prune_marks[location];
    if (mark == PRUNE_NOTHING)
      user = true;
    else if (user)
      return mark == PRUNE_ALL ? i + 1 : i;
  }
  return 0;
}

/* Adds the frames of SAMPLE, the INDEX-th, to the chains, leaf first. */
static bool
read_chain(struct reading *reading, const struct wire_sample *sample,
           size_t index)
{
  struct profile *profile = reading->profile;
  size_t leaf = reading->prune.active ? find_leaf(reading, sample) : 0;
  size_t most =
      (size_t)(input_file_decoded_limit(&reading->file, reading->limits) /
               sizeof *profile->chains);
  for (size_t i = leaf; i < sample->location_count; i++) {
    uint32_t location = find_location(reading, sample->locations[i]);
    if (location == INDEX_NONE)
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "sample %zu refers to location %" PRIu64
                           ", which is missing",
                           index, sample->locations[i]);
    uint32_t end = reading->first_frames[location + 1];
    for (uint32_t f = reading->first_frames[location]; f < end; f++) {
      if (profile->chain_count - reading->first_link >= most)
        return reading_fault(reading, FIELD_SAMPLE, index,
                             "the chains up to sample %zu take more than "
                             "%" PRIu64 " bytes",
                             index, (uint64_t)most * sizeof *profile->chains);
      if (!profile_add_link(profile, f))
        return mprof_error_memory(reading->error);
    }
  }
  return true;
}

bool
profile_sample_states_calls(const struct reading *reading,
                            const struct wire_sample *sample)
{
  if (!reading->keeps_calls || sample->location_count == 0 ||
      sample->label_count != 0)
    return false;
  for (size_t i = 0; i < sample->value_count; i++)
    if (sample->values[i] != 0 &&
        i != (size_t)reading->columns.activations.index)
      return false;
  return true;
}

/* The most memory that calls may take, in bytes. */
static uint64_t
calls_bytes(const struct reading *reading)
{
  enum { SLOTS = 4, SLOT_BYTES = 16 }; /* of the map, at most, for a node */
  const struct call_sums *calls = &reading->calls;
  uint64_t node = sizeof *calls->nodes + SLOTS * SLOT_BYTES;
  if (!reading->adds_calls)
    return calls->count * node;
  return calls->count * (node + sizeof *reading->profile->samples) +
         calls->links * sizeof *reading->profile->chains;
}

/* Notes what SAMPLE, the INDEX-th, read as READ, says of calls. */
static bool
note_calls(struct reading *reading, const struct wire_sample *sample,
           size_t index, const struct profile_sample *read)
{
  struct call_sums *calls = &reading->calls;
  size_t end = read->first_frame + read->frame_count;
  size_t link = end;
  uint32_t node = CALL_ROOT;
  if (!reading->keeps_calls)
    return true;
  for (size_t depth = 0; link > read->first_frame; depth++) {
    uint32_t location = find_location(
        reading, sample->locations[sample->location_count - 1 - depth]);
    size_t frames =
        reading->first_frames[location + 1] - reading->first_frames[location];
    node = call_sums_step(calls, depth, location);
    if (node == INDEX_NONE)
      return mprof_error_memory(reading->error);
    link -= frames;
    calls->nodes[node].first_link = link;
    calls->nodes[node].frame_count = end - link;
  }
  uint64_t most = input_file_decoded_limit(&reading->file, reading->limits);
  if (calls_bytes(reading) > most)
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "the calls up to sample %zu take more than %" PRIu64
                         " bytes",
                         index, most);
  if (node == CALL_ROOT)
    return true;
  if (profile_sample_states_calls(reading, sample)) {
    calls->nodes[node].stated = true;
    calls->nodes[node].calls += read->activations;
    reading->calls_stated++;
  } else {
    calls->nodes[node].allocs += read->allocs;
  }
  return true;
}

/* Sets *VALUE to what COLUMN of SAMPLE, the INDEX-th, says. */
static bool
column_value(struct reading *reading, const struct wire_sample *sample,
             size_t index, struct profile_column column, uint64_t *value)
{
  *value = column.index == NO_COLUMN ? 0 : sample->values[column.index];
  return !__builtin_mul_overflow(*value, column.scale, value) ||
         reading_fault(reading, FIELD_SAMPLE, index,
                       "the sums overflow at sample %zu", index);
}

/* How large the objects of SAMPLE are, from LABELS.  Where another program
 * wrote no size, the mean stands for it. */
static void
find_size(const struct reading *reading, struct profile_sample *sample,
          const struct labels *labels)
{
  bool by_mprof = reading->claims.by_mprof;
  sample->size_kind = SIZE_EXACT;
  sample->object_bytes = labels->bytes;
  if (reading->columns.allocs.index == NO_COLUMN || !by_mprof) {
    if (!labels->has_bytes && sample->allocs > 0)
      sample->object_bytes = sample->bytes / sample->allocs;
    else if (!labels->has_bytes)
      sample->size_kind = SIZE_UNKNOWN;
  } else if (sample->allocs == 0) {
    sample->size_kind = SIZE_GROWTH;
  } else if (!labels->has_bytes) {
    sample->size_kind = SIZE_LARGE;
  }
}

/* The category of SAMPLE's objects; of no meaning where sizes are not known.
 */
static unsigned
find_category(const struct profile_sample *sample,
              const struct labels *labels, enum language language)
{
  if (language == LANGUAGE_LISP)
    return category_of_label(labels->category);
  return sample->size_kind == SIZE_LARGE
             ? CATEGORY_COUNT - 1
             : category_of_size(sample->size_kind == SIZE_GROWTH &&
                                        !labels->has_bytes
                                    ? sample->bytes
                                    : sample->object_bytes);
}

/* Adds SAMPLE, the INDEX-th, to all sums; they must stay within 63 bits. */
static bool
add_to_totals(struct reading *reading, const struct profile_sample *sample,
              size_t index, struct file_sums *sums)
{
  struct figures *total = &reading->profile->total;
  if (add_value(&total->allocs, sample->allocs) &&
      add_value(&total->bytes, sample->bytes) &&
      add_value(&total->kept_allocs, sample->kept_allocs) &&
      add_value(&total->kept_bytes, sample->kept_bytes) &&
      add_value(&total->peak_allocs, sample->peak_allocs) &&
      add_value(&total->peak_bytes, sample->peak_bytes) &&
      add_value(&total->temporary_allocs, sample->temporary_allocs) &&
      add_value(&reading->profile->total_activations, sample->activations) &&
      add_value(&sums->allocs, sample->allocs) &&
      add_value(&sums->bytes, sample->bytes))
    return true;
  return reading_fault(reading, FIELD_SAMPLE, index,
                       "the sums overflow at sample %zu", index);
}

/* Adds READ, but for its type, which LABELS tell. */
static bool
add_sample(struct reading *reading, struct profile_sample *read,
           const struct labels *labels, size_t index, struct file_sums *sums)
{
  read->type = profile_type(
      reading->profile, find_category(read, labels, reading->claims.language),
      labels->type, labels->class_name);
  if (read->type == INDEX_NONE || !profile_add_sample(reading->profile, read))
    return mprof_error_memory(reading->error);
  return add_to_totals(reading, read, index, sums);
}

/* Reads one sample, the INDEX-th.  What counts both objects and calls becomes
 * two samples of one chain, so that calls can be told apart from the objects
 * that were the first of them. */
static bool
read_sample(struct reading *reading, const struct wire_sample *sample,
            size_t index, struct file_sums *sums)
{
  if (sample->value_count != reading->message->n_sample_type)
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "sample %zu has %zu values where there are %zu "
                         "sample types",
                         index, sample->value_count,
                         reading->message->n_sample_type);
  for (size_t i = 0; i < sample->value_count; i++)
    if (sample->values[i] > INT64_MAX)
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "sample %zu has the negative value %" PRId64,
                           index, (int64_t)sample->values[i]);
  const struct profile_columns *columns = &reading->columns;
  struct profile_sample read = {
      .first_frame = reading->profile->chain_count,
  };
  if (!column_value(reading, sample, index, columns->allocs, &read.allocs) ||
      !column_value(reading, sample, index, columns->bytes, &read.bytes) ||
      !column_value(reading, sample, index, columns->kept_allocs,
                    &read.kept_allocs) ||
      !column_value(reading, sample, index, columns->kept_bytes,
                    &read.kept_bytes) ||
      !column_value(reading, sample, index, columns->peak_allocs,
                    &read.peak_allocs) ||
      !column_value(reading, sample, index, columns->peak_bytes,
                    &read.peak_bytes) ||
      !column_value(reading, sample, index, columns->temporary_allocs,
                    &read.temporary_allocs) ||
      !column_value(reading, sample, index, columns->activations,
                    &read.activations))
    return false;
  if (reading->claims.by_mprof &&
      (read.kept_allocs > read.allocs || read.kept_bytes > read.bytes))
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "sample %zu keeps more than it allocated", index);
  if (reading->claims.by_mprof &&
      (read.peak_allocs > read.allocs || read.peak_bytes > read.bytes ||
       read.temporary_allocs > read.allocs))
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "sample %zu has more objects at the peak, or more "
                         "temporary ones, than it allocated",
                         index);
  struct labels labels = {.phase = PHASE_COUNT, .category = ""};
  if (!read_labels(reading, sample, index, &labels) ||
      !read_chain(reading, sample, index))
    return false;
  read.frame_count = reading->profile->chain_count - read.first_frame;
  find_size(reading, &read, &labels);
  bool states_calls =
      reading->adds_calls && profile_sample_states_calls(reading, sample);
  if (states_calls && read.activations == 0)
    return true;
  if (states_calls)
    read.activations--; /* see mprof-data(5) */
  if (!note_calls(reading, sample, index, &read))
    return false;
  if (states_calls && read.activations == 0)
    return true; /* that there are no calls */
  read.phase =
      reading->claims.by_mprof ? (unsigned char)labels.phase : PHASE_COUNT;
  read.thread = profile_thread(reading->profile, labels.thread);
  read.region = profile_region(reading->profile, labels.region);
  if (read.thread == INDEX_NONE || read.region == INDEX_NONE)
    return mprof_error_memory(reading->error);
  uint64_t activations = read.activations;
  bool objects = read.allocs != 0 || read.bytes != 0;
  if (activations == 0 || !objects)
    return add_sample(reading, &read, &labels, index, sums);
  read.activations = 0;
  struct profile_sample calls = {
      .first_frame = read.first_frame,
      .frame_count = read.frame_count,
      .activations = activations,
      .size_kind = SIZE_GROWTH,
      .thread = read.thread,
      .region = read.region,
      .phase = read.phase,
  };
  return add_sample(reading, &read, &labels, index, sums) &&
         add_sample(reading, &calls, &(struct labels){.category = ""}, index,
                    sums);
}

/* Adds the calls that no sample states, behind sample COUNT. */
static bool
add_calls(struct reading *reading, size_t count, struct file_sums *sums)
{
  struct call_sums *calls = &reading->calls;
  call_sums_add_up(calls);
  if (!reading->adds_calls)
    return true;
  if (reading->calls_stated != (uint64_t)reading->claims.stated_calls)
    return reading_fault(reading, FIELD_COMMENT, 0,
                         "mprof.stated_calls is %" PRId64 ", but %" PRIu64
                         " samples state calls",
                         reading->claims.stated_calls, reading->calls_stated);
  for (size_t i = CALL_ROOT + 1; i < calls->count; i++) {
    const struct call_node *node = &calls->nodes[i];
    struct profile_sample sample = {
        .first_frame = node->first_link,
        .frame_count = node->frame_count,
        .activations = node->below,
        .size_kind = SIZE_GROWTH,
        .phase = PHASE_COUNT,
    };
    if (node->stated || node->below == 0)
      continue;
    sample.thread = profile_thread(reading->profile, 0);
    sample.region = profile_region(reading->profile, 0);
    if (sample.thread == INDEX_NONE || sample.region == INDEX_NONE)
      return mprof_error_memory(reading->error);
    if (!add_sample(reading, &sample, &(struct labels){.category = ""}, count,
                    sums))
      return false;
  }
  return true;
}

/* Decodes and reads the samples, one at a time. */
static bool
read_samples(struct reading *reading, struct file_sums *sums)
{
  const struct input_file *file = &reading->file;
  const uint8_t *data;
  size_t at = 0;
  size_t size;
  struct wire_sample sample = {0};
  bool good = true;
  size_t i;
  for (i = 0; good && (data = wire_next(file->data, file->length,
                                        FIELD_SAMPLE, &at, &size)) != NULL;
       i++) {
    progress_tell(reading->profile->progress, "reading", at, file->length);
    if (!wire_sample_decode(&sample, data, size))
      good = mprof_error_memory(reading->error);
    else
      good = read_sample(reading, &sample, i, sums);
  }
  wire_sample_release(&sample);
  return good && add_calls(reading, i, sums);
}

/* Whether the file of READING counts no allocation, though it has columns for
 * what was allocated and for what was live: jemalloc's does when it was not
 * told to accumulate. */
static bool
counts_nothing(struct reading *reading, bool *nothing)
{
  const struct input_file *file = &reading->file;
  size_t allocated = (size_t)reading->columns.bytes.index;
  struct wire_sample sample = {0};
  const uint8_t *data;
  size_t at = 0;
  size_t size;
  bool good = true;
  *nothing = true;
  while (good && *nothing &&
         (data = wire_next(file->data, file->length, FIELD_SAMPLE, &at,
                           &size)) != NULL) {
    good = wire_sample_decode(&sample, data, size);
    if (good && allocated < sample.value_count &&
        sample.values[allocated] != 0)
      *nothing = false;
  }
  wire_sample_release(&sample);
  return good || mprof_error_memory(reading->error);
}

/* Takes what was live for what was allocated where that says more. */
static bool
settle_columns(struct reading *reading)
{
  struct profile_columns *columns = &reading->columns;
  bool nothing;
  if (reading->claims.by_mprof || columns->only_live ||
      columns->kept_bytes.index == NO_COLUMN)
    return true;
  if (!counts_nothing(reading, &nothing))
    return false;
  if (nothing)
    profile_columns_take_live(columns);
  return true;
}

static bool
settle_language(struct reading *reading)
{
  struct profile *profile = reading->profile;
  enum language language =
      reading->claims.language == LANGUAGE_LISP ? LANGUAGE_LISP : LANGUAGE_C;
  if (profile->language != LANGUAGE_UNKNOWN && profile->language != language)
    return reading_fault(reading, FIELD_COMMENT, 0,
                         "a profile of a Lisp program and one of a C program "
                         "cannot be read as one");
  profile->language = language;
  return true;
}

/* Whether the period of READING's file is one of bytes. */
static bool
is_space(const struct reading *reading)
{
  uint32_t unit;
  return reading_string(reading, reading->message->period_type->unit,
                        &unit) &&
         strcmp(names_text(&reading->profile->names, unit), "bytes") == 0;
}

/* Notes what the file of READING does not say. */
static void
note_gaps(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  const struct profile_columns *columns = &reading->columns;
  struct profile *profile = reading->profile;
  struct profile_gaps *gaps = &profile->gaps;
  size_t files = (size_t)reading->claims.files;
  profile->file_count += files;
  if (columns->kept_bytes.index != NO_COLUMN)
    profile->has_kept = true;
  if (columns->activations.index != NO_COLUMN)
    profile->has_activations = true;
  if (columns->peak_bytes.index != NO_COLUMN)
    profile->has_peak = true;
  if (columns->temporary_allocs.index != NO_COLUMN)
    profile->has_temporary = true;
  if (columns->only_live)
    gaps->live += files;
  if (columns->allocs.index == NO_COLUMN)
    gaps->countless += files;
  if (!reading->claims.by_mprof && message->period > 1 &&
      message->period_type != NULL && is_space(reading)) {
    gaps->sampled += files;
    if (message->period > gaps->period)
      gaps->period = message->period;
  }
}

/* Whoever writes the file anew wants what it says of calls even where they
 * are all stated.  No program of ours cuts chains as well. */
static bool
settle_calls(struct reading *reading)
{
  bool counts_calls = reading->claims.by_mprof &&
                      reading->profile->language == LANGUAGE_C &&
                      reading->columns.activations.index != NO_COLUMN;
  reading->adds_calls = counts_calls && reading->claims.adds_calls;
  if (reading->adds_calls && reading->prune.active)
    return reading_fault(reading, FIELD_DROP_FRAMES, 0,
                         "drop_frames and mprof.stated_calls exclude each "
                         "other");
  reading->keeps_calls = counts_calls && !reading->prune.active &&
                         (reading->visited || reading->adds_calls);
  return true;
}

bool
profile_samples_read(struct reading *reading)
{
  struct file_sums sums = {0, 0};
  if (!profile_comments_read(reading) || !settle_language(reading) ||
      !profile_columns_find(reading) || !settle_columns(reading) ||
      !settle_calls(reading) || !read_samples(reading, &sums))
    return false;
  note_gaps(reading);
  return profile_claims_check(reading, sums.allocs, sums.bytes);
}
