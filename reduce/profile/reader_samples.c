/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is taken apart into arrays that the next one
 * uses again (protobuf-c's own decoder makes a block of memory for each
 * array, message and label: all of 1.3 million samples took 2.1 GB); its
 * chain becomes a node of the tree; then it is added (sample_adder.c) and
 * forgotten.
 *
 * A location may be many frames, and a name long, however often a small file
 * refers to them.  So frames and names are counted here, where they are still
 * one number for each location; no later stage multiplies anything else.
 */

#include "profile/reading.h"

#include <inttypes.h>

/* A node of the chain in hand. */
struct step {
  uint32_t node;
  uint64_t text; /* of the frames up to here: what writing them takes */
};

struct decoding {
  struct reading *reading;
  /* of the sample in hand: ids, the leaf first, what these leave out
   * (PPROF_SAMPLE_HIDDEN), and both together */
  struct numbers locations, hidden, whole;
  /* the chain before as a path in the tree, the root's child first, and its
   * ids; neighbours have much in common, so that a chain costs a search for
   * what it does not share with it */
  struct step *steps;
  size_t length, capacity;
  struct numbers ids;
  uint32_t labels; /* 1 + the number of the last set, whose bytes follow */
  uint8_t *label_bytes;
  size_t label_size, label_capacity;
  uint64_t *texts;       /* by location; 0: it was not met yet */
  uint64_t frames;       /* of all nodes that are new */
  uint64_t other_labels; /* bytes of those that other files have */
};

/* ---- chains ---- */

/* Returns how many locations from the root on the chain in hand has in common
 * with the one before. */
static size_t
count_shared(const struct decoding *d)
{
  const struct numbers *ids = &d->locations;
  size_t most = ids->count < d->length ? ids->count : d->length;
  size_t shared = 0;
  while (shared < most && ids->items[ids->count - 1 - shared] ==
                              d->ids.items[d->ids.count - 1 - shared])
    shared++;
  return shared;
}

/* Returns the text of LOCATION's frames, or more than there may be in all. */
static uint64_t
text_of_location(struct decoding *d, uint32_t location)
{
  enum { FRAME_TEXT = 8 }; /* without the names */
  const struct profile *profile = d->reading->profile;
  const struct profile_location *l = &profile->locations[location];
  uint64_t *text = &d->texts[location];
  if (*text != 0)
    return *text;
  *text = FRAME_TEXT;
  for (size_t i = 0; i < l->line_count && *text <= d->reading->text_left;
       i++) {
    uint32_t number = profile->lines[l->first_line + i].function;
    *text += FRAME_TEXT;
    if (number == INDEX_NONE)
      continue;
    const struct profile_function *f = &profile->functions[number];
    *text += strlen(profile_text(profile, f->name)) +
             strlen(profile_text(profile, f->file));
  }
  return *text;
}

/* Moves AT on to the node of LOCATION. */
static void
take_step(struct decoding *d, uint32_t location, struct step *at)
{
  struct profile *profile = d->reading->profile;
  if (__builtin_add_overflow(at->text, text_of_location(d, location),
                             &at->text))
    at->text = UINT64_MAX;
  size_t known = profile->tree.count;
  at->node = tree_child(&profile->tree, at->node, location);
  if (profile->tree.count > known) {
    uint32_t lines = profile->locations[location].line_count;
    d->frames += lines == 0 ? 1 : lines;
  }
}

/* Returns the end of the chain in hand, which may be the root. */
static struct step
find_chain(struct decoding *d)
{
  const struct numbers chain = d->locations;
  size_t length = count_shared(d);
  struct step at = {TREE_ROOT, 0};
  if (length > 0)
    at = d->steps[length - 1];
  ARRAY_ROOM(d->steps, d->capacity, chain.count);
  for (; length < chain.count; d->steps[length++] = at) {
    uint64_t id = chain.items[chain.count - 1 - length];
    uint32_t location = index_map_find(&d->reading->ids[PPROF_LOCATION], id);
    if (location == INDEX_NONE)
      sample_fault(
          d->reading,
          "sample %zu refers to location %" PRIu64 ", which is missing", id);
    take_step(d, location, &at);
  }
  d->length = length;
  d->locations = d->ids;
  d->ids = chain;
  return at;
}

/* ---- samples ---- */

/* Takes the labels of SAMPLE, which are within SIZE bytes at BYTES, as words
 * of labels.h; unless they are those of the sample before. */
static void
read_labels(struct decoding *d, const struct wire_field *sample,
            const uint8_t *bytes, size_t size)
{
  struct reading *reading = d->reading;
  struct wire_walk walk = wire_walk(reading, sample);
  struct wire_field field;
  uint64_t label[MESSAGE_FIELDS];
  if (d->labels != 0 && size == d->label_size &&
      memcmp(bytes, d->label_bytes, size) == 0)
    return;
  d->labels = 0;
  d->label_size = size;
  ARRAY_ROOM(d->label_bytes, d->label_capacity, size);
  memcpy(d->label_bytes, bytes, size);
  while (wire_next(&walk, &field)) {
    if (field.number != PPROF_SAMPLE_LABEL)
      continue;
    if (!wire_read_message(reading, &field, label))
      sample_fault(reading,
                   "a label of sample %zu refers to a missing string");
    sample_label(reading, label + PPROF_LABEL_KEY);
  }
}

/* Moves COUNT numbers of FROM, from *TAKEN on, to TO, which has room.
 * Returns false if there are fewer. */
static bool
move(struct numbers *to, const struct numbers *from, size_t *taken,
     uint64_t count)
{
  if (count > from->count - *taken)
    return false;
  const uint64_t *const first = from->items + *taken;
  uint64_t *const end = to->items + to->count;
  for (size_t i = 0; i < count; i++)
    end[i] = first[i];
  to->count += count;
  *taken += count;
  return true;
}

/* Puts what the locations leave out in its places. */
static void
insert_hidden(struct decoding *d)
{
  const struct numbers shown = d->locations, *hidden = &d->hidden;
  size_t from_shown = 0, at = 0;
  bool good = true;
  d->whole.count = 0;
  numbers_reserve(&d->whole, shown.count + hidden->count);
  while (good && at < hidden->count) {
    const uint64_t before = hidden->items[at++];
    good = at < hidden->count;
    const uint64_t length = good ? hidden->items[at++] : 0;
    good = good && move(&d->whole, &shown, &from_shown, before) &&
           move(&d->whole, hidden, &at, length);
  }
  if (!good)
    sample_fault(
        d->reading,
        "the hidden locations of sample %zu do not match its frames");
  move(&d->whole, &shown, &from_shown, shown.count - from_shown);
  d->locations = d->whole;
  d->whole = shown;
}

/* Takes apart SAMPLE. */
static void
read_parts(struct decoding *d, const struct wire_field *sample)
{
  struct reading *reading = d->reading;
  struct wire_walk walk = wire_walk(reading, sample);
  struct wire_field field;
  size_t first = sample->at, end = first; /* of the labels */
  d->locations.count = d->hidden.count = 0;
  sample_begin(reading);
  while (wire_next(&walk, &field))
    switch (field.number) {
    case PPROF_SAMPLE_LOCATIONS:
      wire_read_numbers(reading, &field, &d->locations);
      break;
    case PPROF_SAMPLE_VALUES:
      wire_read_numbers(reading, &field, &reading->values);
      break;
    case PPROF_SAMPLE_HIDDEN:
      wire_read_numbers(reading, &field, &d->hidden);
      break;
    case PPROF_SAMPLE_LABEL:
      first = end == sample->at ? field.at : first;
      end = walk.at;
    }
  read_labels(d, sample, reading->file.data + first, end - first);
  if (d->hidden.count != 0)
    insert_hidden(d);
}

/* Returns the memory that all sets of labels take. */
static uint64_t
label_bytes(const struct profile *profile)
{
  return profile->label_rows.word_count * sizeof *profile->label_rows.words +
         profile->label_rows.row_count * sizeof *profile->labels;
}

/* Checks that what the samples take so far is within the limits, with what
 * all stages together make of it. */
static void
check_limits(const struct decoding *d)
{
  enum { FRAME_BYTES = 256, SAMPLE_BYTES = 192 };
  const struct profile *profile = d->reading->profile;
  const uint64_t most = input_file_memory_limit(&d->reading->file);
  uint64_t samples = profile->sample_count - d->reading->first_sample;
  uint64_t taken =
      d->frames * FRAME_BYTES + label_bytes(profile) - d->other_labels +
      samples *
          (SAMPLE_BYTES + profile->column_count * sizeof *profile->values);
  if (taken > most)
    sample_fault(
        d->reading,
        "the chains up to sample %zu take more than %" PRIu64 " bytes", most);
}

static void
read_sample(struct decoding *d, const struct wire_field *sample)
{
  struct reading *reading = d->reading;
  reading->sample_at = sample->at;
  read_parts(d, sample);
  sample_check(reading);
  struct step end = find_chain(d);
  check_limits(d);
  sample_add(reading, end.node, &d->labels);
  if (!reading_add_text(reading, end.text) ||
      !reading_add_text(reading,
                        reading->profile->labels[d->labels - 1].text))
    sample_fault(reading,
                 "the names in the chains and labels up to sample %zu are "
                 "too long for a file of this size");
  reading->sample++;
}

void
reading_samples(struct reading *reading)
{
  struct input_file *file = &reading->file;
  struct decoding d = {.reading = reading,
                       .other_labels = label_bytes(reading->profile),
                       .texts = pool_zeroed(reading->profile->location_count,
                                            sizeof *d.texts)};
  struct wire_walk walk = wire_walk(reading, NULL);
  struct wire_field field;
  while (wire_next(&walk, &field)) {
    if (field.number != PPROF_SAMPLE)
      continue;
    progress_tell("reading", walk.at, file->length);
    read_sample(&d, &field);
    input_file_forget(file, walk.at);
  }
  pool_free(d.texts);
}
