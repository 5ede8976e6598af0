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

#include "base/pool.h"
#include "profile/reading.h"

#include <inttypes.h>

/* A node of the chain in hand. */
struct step {
  uint32_t node;
  uint64_t text; /* of the frames up to here: what writing them takes */
};

struct decoding {
  struct reading *reading;
  struct sample_adder adder;
  /* of the sample in hand: ids, the leaf first, what these leave out
   * (hidden.c), and both together */
  struct numbers locations, hidden, whole;
  /* the chain before as a path in the tree, the root's child first, and its
   * ids; neighbours have much in common, so that a chain costs a search for
   * what it does not share with it */
  struct step *steps;
  size_t length, capacity;
  struct numbers ids;
  uint64_t *texts;       /* by location; 0: it was not met yet */
  uint64_t frames;       /* of all nodes that are new */
  uint64_t other_labels; /* bytes of those that other files have */
  uint64_t memory_limit;
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
    *text += strlen(names_text(&profile->names, f->name)) +
             strlen(names_text(&profile->names, f->file));
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
    uint32_t location = index_map_find(&d->reading->location_ids, id);
    if (location == INDEX_NONE)
      sample_fault(&d->adder,
                   "sample %zu refers to location %" PRIu64
                   ", which is missing",
                   d->adder.index, id);
    take_step(d, location, &at);
  }
  d->length = length;
  d->locations = d->ids;
  d->ids = chain;
  return at;
}

/* ---- samples ---- */

/* Takes the label FIELD, as words of labels.h. */
static void
read_label(struct decoding *d, const struct wire_field *field)
{
  uint64_t f[MESSAGE_FIELDS];
  if (!wire_read_message(d->reading, field, f))
    sample_fault(&d->adder,
                 "a label of sample %zu refers to a missing string",
                 d->adder.index);
  sample_adder_label(&d->adder, f + PPROF_LABEL_KEY);
}

/* Puts what the locations leave out in its places. */
static void
insert_hidden(struct decoding *d)
{
  struct numbers shown = d->locations;
  d->whole.count = 0;
  numbers_reserve(&d->whole, shown.count + d->hidden.count);
  if (!hidden_insert(&shown, &d->hidden, &d->whole))
    sample_fault(&d->adder,
                 "the hidden locations of sample %zu do not match its frames",
                 d->adder.index);
  d->locations = d->whole;
  d->whole = shown;
}

/* Takes apart SAMPLE. */
static void
read_parts(struct decoding *d, const struct wire_field *sample)
{
  struct wire_walk walk = wire_walk(d->reading, sample);
  struct wire_field field;
  d->locations.count = d->hidden.count = 0;
  sample_adder_begin(&d->adder);
  while (wire_next(&walk, &field))
    if (field.number == PPROF_SAMPLE_LOCATIONS)
      wire_read_numbers(d->reading, &field, &d->locations);
    else if (field.number == PPROF_SAMPLE_VALUES)
      wire_read_numbers(d->reading, &field, &d->adder.values);
    else if (field.number == PPROF_SAMPLE_HIDDEN)
      wire_read_numbers(d->reading, &field, &d->hidden);
    else if (field.number == PPROF_SAMPLE_LABEL)
      read_label(d, &field);
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
  uint64_t samples = profile->sample_count - d->reading->first_sample;
  uint64_t taken =
      d->frames * FRAME_BYTES + label_bytes(profile) - d->other_labels +
      samples *
          (SAMPLE_BYTES + profile->column_count * sizeof *profile->values);
  if (taken > d->memory_limit)
    sample_fault(&d->adder,
                 "the chains up to sample %zu take more than %" PRIu64
                 " bytes",
                 d->adder.index, d->memory_limit);
}

static void
read_sample(struct decoding *d, const struct wire_field *sample)
{
  struct sample_adder *adder = &d->adder;
  uint32_t labels = 0;
  d->reading->sample_at = sample->at;
  read_parts(d, sample);
  sample_adder_check(adder);
  struct step end = find_chain(d);
  check_limits(d);
  sample_adder_add(adder, end.node, &labels);
  if (!reading_add_text(d->reading, end.text) ||
      !reading_add_text(d->reading,
                        d->reading->profile->labels[labels - 1].text))
    sample_fault(adder,
                 "the names in the chains and labels up to sample %zu are "
                 "too long for a file of this size",
                 adder->index);
  adder->index++;
}

void
reading_samples(struct reading *reading)
{
  struct input_file *file = &reading->file;
  struct decoding d = {
      .reading = reading,
      .other_labels = label_bytes(reading->profile),
      .texts = pool_zeroed(reading->profile->location_count, sizeof *d.texts),
      .memory_limit = input_file_memory_limit(file)};
  struct wire_walk walk = wire_walk(reading, NULL);
  struct wire_field field;
  sample_adder_init(&d.adder, reading);
  while (wire_next(&walk, &field)) {
    if (field.number != PPROF_SAMPLE)
      continue;
    progress_tell("reading", walk.at, file->length);
    read_sample(&d, &field);
    input_file_forget(file, walk.at);
  }
  pool_free(d.texts);
  reading_check_facts(reading, d.adder.sums);
}
