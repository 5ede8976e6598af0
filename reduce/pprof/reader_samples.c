/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file.  A sample is taken apart into arrays that the next one
 * uses again (protobuf-c's own decoder makes a block of memory for each
 * array, message and label: all of 1.3 million samples took 2.1 GB); its
 * chain becomes a node of the tree; then it is added (sample_adder.c) and
 * forgotten.
 */

#include "base/progress.h"
#include "pprof/chain_path.h"
#include "pprof/hidden.h"
#include "pprof/reading.h"
#include "pprof/sample_adder.h"

#include <inttypes.h>
#include <string.h>

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
  enum { FRAME_BYTES = 256, SAMPLE_BYTES = 192, SURVIVAL_BYTES = 640 };
  const struct reading *reading = decoding->reading;
  const struct profile *profile = reading->profile;
  uint64_t samples = profile->sample_count - reading->first_sample +
                     (reading->adds_calls ? decoding->path.frames : 0);
  uint64_t survival =
      profile_has(profile, COLUMN_OF_SURVIVAL) ? SURVIVAL_BYTES : 0;
  uint64_t taken =
      decoding->path.frames * FRAME_BYTES +
      sample_adder_label_bytes(&decoding->adder) +
      samples * (SAMPLE_BYTES + survival +
                 profile->column_count * sizeof *profile->values);
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
  struct path_step end = chain_path_find(&decoding->path, reading,
                                         adder->index, &decoding->locations);
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

void
reading_samples(struct reading *reading)
{
  const struct input_file *file = &reading->file;
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
    progress_tell(reading->options->progress, "reading", at, file->length);
    read_sample(&decoding, field.bytes, field.size);
  }
  pool_free(decoding.path.texts);
  sample_adder_end(&decoding.adder);
}
