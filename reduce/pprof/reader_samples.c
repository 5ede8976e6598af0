/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is taken apart into arrays that the next one
 * uses again (protobuf-c's own decoder makes a block of memory for each
 * array, message and label: all of 1.3 million samples took 2.1 GB); its
 * chain becomes a node of the tree; then it is added (sample_adder.c) and
 * forgotten.
 */

#include "base/progress.h"
#include "pprof/hidden.h"
#include "pprof/reading.h"
#include "pprof/sample_adder.h"

#include <inttypes.h>
#include <string.h>

/* ---- chains ------------------------------------------------------------ */

/* A node of the chain in hand. */
struct path_step {
  uint32_t node;
  uint64_t text; /* of the frames up to here: what writing them takes */
};

/* The chain in hand as a path in the tree.  Those of neighbours have much in
 * common: the last one is kept, so that a chain costs a search for what it
 * does not share with it.
 *
 * A location may be many frames, and a name long, however often a small file
 * refers to them.  So frames and names are counted here, where they are still
 * one number for each location; no later stage multiplies anything else. */
struct chain_path {
  struct path_step *steps; /* the root's child first */
  size_t length, capacity;
  struct numbers ids; /* of the locations, the leaf first */
  uint64_t *texts;    /* by location; 0: it was not met yet */
  uint64_t frames;    /* of all nodes that are new */
};

/* How many locations from the root on IDS have in common with the path. */
static size_t
shared(const struct chain_path *path, const struct numbers *ids)
{
  const struct numbers *last = &path->ids;
  size_t most = ids->count < path->length ? ids->count : path->length;
  size_t shared = 0;
  while (shared < most && ids->items[ids->count - 1 - shared] ==
                              last->items[last->count - 1 - shared])
    shared++;
  return shared;
}

/* The text of LOCATION's frames, or more than there may be in all. */
static uint64_t
text_of_location(struct chain_path *path, const struct reading *reading,
                 uint32_t location)
{
  enum { FRAME_TEXT = 8 }; /* without the names */
  const struct profile *profile = reading->profile;
  const struct profile_location *l = &profile->locations[location];
  uint64_t *text = &path->texts[location];
  if (*text != 0)
    return *text;
  *text = FRAME_TEXT;
  for (size_t i = 0; i < l->line_count && *text <= reading->text_left; i++) {
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

/* Goes from AT on to the node of LOCATION. */
static void
step(struct chain_path *path, const struct reading *reading,
     uint32_t location, struct path_step *at)
{
  struct profile *profile = reading->profile;
  uint64_t text = text_of_location(path, reading, location);
  if (__builtin_add_overflow(at->text, text, &at->text))
    at->text = UINT64_MAX;
  size_t known = profile->tree.count;
  at->node = tree_child(&profile->tree, at->node, location);
  if (profile->tree.count > known) {
    uint32_t lines = profile->locations[location].line_count;
    path->frames += lines == 0 ? 1 : lines;
  }
}

/* The end of the chain of IDS, of the sample with the number INDEX, which may
 * be the root.  IDS become the array of the sample before. */
static struct path_step
find_chain(struct chain_path *path, const struct reading *reading,
           size_t index, struct numbers *ids)
{
  struct numbers chain = *ids;
  size_t length = shared(path, ids);
  struct path_step at = {TREE_ROOT, 0};
  if (length > 0)
    at = path->steps[length - 1];
  ARRAY_ROOM(path->steps, path->capacity, chain.count);
  for (; length < chain.count; path->steps[length++] = at) {
    uint64_t id = chain.items[chain.count - 1 - length];
    uint32_t location = index_map_find(&reading->location_ids, id);
    if (location == INDEX_NONE)
      reading_fault(reading, PPROF_SAMPLE, index,
                    "sample %zu refers to location %" PRIu64
                    ", which is missing",
                    index, id);
    step(path, reading, location, &at);
  }
  path->length = length;
  *ids = path->ids;
  path->ids = chain;
  return at;
}

/* ---- samples ----------------------------------------------------------- */

struct decoding {
  struct reading *reading;
  struct sample_adder adder;
  struct numbers locations; /* of the sample in hand: ids, the leaf first */
  struct numbers hidden;    /* what the locations left out: hidden.h */
  struct numbers whole; /* locations with it, while they are put together */
  struct chain_path path;
  uint64_t memory_limit;
};

/* Takes the label in FIELD, as words of labels.h. */
static void
read_label(struct decoding *decoding, const struct wire_field *field)
{
  struct reading *reading = decoding->reading;
  uint64_t f[PPROF_LABEL_UNIT + 1];
  if (!reading_message(reading, &label_schema, field, f))
    sample_fault(&decoding->adder,
                 "a label of sample %zu refers to a missing string",
                 decoding->adder.index);
  sample_adder_label(&decoding->adder, f + PPROF_LABEL_KEY);
}

/* Puts what the locations leave out in its places. */
static void
insert_hidden(struct decoding *decoding)
{
  struct numbers shown = decoding->locations;
  decoding->whole.count = 0;
  numbers_reserve(&decoding->whole, shown.count + decoding->hidden.count);
  if (!hidden_insert(&shown, &decoding->hidden, &decoding->whole))
    sample_fault(&decoding->adder,
                 "the hidden locations of sample %zu do not match its frames",
                 decoding->adder.index);
  decoding->locations = decoding->whole;
  decoding->whole = shown;
}

/* Takes apart the sample of SIZE bytes at DATA. */
static void
read_parts(struct decoding *decoding, const uint8_t *data, size_t size)
{
  struct wire_field field;
  decoding->locations.count = decoding->hidden.count = 0;
  sample_adder_begin(&decoding->adder);
  for (size_t at = 0; at < size;) {
    wire_read_field(data, &at, &field);
    if (field.number == PPROF_SAMPLE_LOCATIONS)
      wire_read_numbers(&field, &decoding->locations);
    else if (field.number == PPROF_SAMPLE_VALUES)
      wire_read_numbers(&field, &decoding->adder.values);
    else if (field.number == PPROF_SAMPLE_HIDDEN)
      wire_read_numbers(&field, &decoding->hidden);
    else if (field.number == PPROF_SAMPLE_LABEL)
      read_label(decoding, &field);
  }
  if (decoding->hidden.count != 0)
    insert_hidden(decoding);
}

/* Checks that what the samples take so far is within the limits, with what
 * all stages together make of it. */
static void
check_limits(const struct decoding *decoding)
{
  enum { FRAME_BYTES = 256, SAMPLE_BYTES = 192 };
  const struct reading *reading = decoding->reading;
  const struct profile *profile = reading->profile;
  uint64_t samples = profile->sample_count - reading->first_sample;
  uint64_t taken = decoding->path.frames * FRAME_BYTES +
                   sample_adder_label_bytes(&decoding->adder) +
                   samples * (SAMPLE_BYTES + profile->column_count *
                                                 sizeof *profile->values);
  if (taken > decoding->memory_limit)
    sample_fault(&decoding->adder,
                 "the chains up to sample %zu take more than %" PRIu64
                 " bytes",
                 decoding->adder.index, decoding->memory_limit);
}

/* Reads the sample of SIZE bytes at DATA. */
static void
read_sample(struct decoding *decoding, const uint8_t *data, size_t size)
{
  struct reading *reading = decoding->reading;
  struct sample_adder *adder = &decoding->adder;
  read_parts(decoding, data, size);
  sample_adder_check(adder);
  struct path_step end = find_chain(&decoding->path, reading, adder->index,
                                    &decoding->locations);
  check_limits(decoding);
  sample_adder_add(adder, end.node, &adder->known);
  uint64_t text = adder->known.set == INDEX_NONE
                      ? 0
                      : reading->profile->labels[adder->known.set].text;
  if (!reading_add_text(reading, end.text) ||
      !reading_add_text(reading, text))
    sample_fault(adder,
                 "the names in the chains and labels up to sample %zu are "
                 "too long for a file of this size",
                 adder->index);
  adder->index++;
}

/* The last pass over the data. */
void
reading_samples(struct reading *reading)
{
  struct input_file *file = &reading->file;
  struct decoding decoding = {
      .reading = reading,
      .path.texts = pool_zeroed(reading->profile->location_count,
                                sizeof *decoding.path.texts),
      .memory_limit =
          input_file_memory_limit(file, reading->options->limits)};
  sample_adder_init(&decoding.adder, reading);
  for (size_t at = 0; at < file->length;) {
    struct wire_field field;
    wire_read_field(file->data, &at, &field);
    if (field.number != PPROF_SAMPLE)
      continue;
    reading->sample_at = field.at;
    progress_tell("reading", at, file->length);
    read_sample(&decoding, field.bytes, field.size);
    input_file_forget(file, at);
  }
  pool_free(decoding.path.texts);
  reading_check_facts(reading, decoding.adder.sums);
}
