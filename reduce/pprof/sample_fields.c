/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Room for a packed run is made once, before its numbers are read. */

#include "pprof/sample_fields.h"

#include "pprof/hidden.h"

#include <inttypes.h>
#include <string.h>

/* Appends the numbers of FIELD, one or a packed run of them. */
static bool
push_field(struct numbers *numbers, const struct wire_field *field)
{
  if (field->bytes == NULL)
    return numbers_push(numbers, field->value);
  if (!numbers_reserve(numbers, field->size + 1))
    return false;
  uint64_t *end = numbers->items + numbers->count;
  for (size_t at = 0; at < field->size;)
    *end++ = wire_read_number(field->bytes, &at);
  numbers->count = (size_t)(end - numbers->items);
  return true;
}

/* Appends the label in FIELD to the row, as words of labels.h. */
static bool
push_label(struct numbers *labels, struct reading *reading,
           const struct wire_field *field, size_t index)
{
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
  if (!numbers_reserve(labels, LABEL_WORDS))
    return mprof_error_memory(reading->error);
  uint64_t *words = labels->items + labels->count;
  words[0] = key;
  words[1] = text;
  words[2] = f[PPROF_LABEL_NUMBER];
  words[3] = unit;
  labels->count += LABEL_WORDS;
  return true;
}

/* Puts what the locations leave out in its places. */
static bool
insert_hidden(struct sample_fields *fields, struct reading *reading,
              size_t index)
{
  struct numbers shown = fields->locations;
  switch (hidden_insert(&shown, &fields->hidden, &fields->whole)) {
  case HIDDEN_NO_MEMORY:
    return mprof_error_memory(reading->error);
  case HIDDEN_NOT_FITTING:
    return reading_fault(reading, PPROF_SAMPLE, index,
                         "the hidden locations of sample %zu do not fit",
                         index);
  default:
    fields->locations = fields->whole;
    fields->whole = shown;
    return true;
  }
}

bool
sample_fields_read(struct sample_fields *fields, struct reading *reading,
                   const uint8_t *data, size_t size, size_t index)
{
  struct wire_field field;
  fields->locations.count = fields->values.count = 0;
  fields->labels.count = fields->hidden.count = 0;
  bool good = numbers_push(&fields->labels, fields->labels_source);
  for (size_t at = 0; good && at < size;) {
    wire_read_field(data, &at, &field);
    if (field.number == PPROF_SAMPLE_LOCATIONS)
      good = push_field(&fields->locations, &field);
    else if (field.number == PPROF_SAMPLE_VALUES)
      good = push_field(&fields->values, &field);
    else if (field.number == PPROF_SAMPLE_HIDDEN)
      good = push_field(&fields->hidden, &field);
    else if (field.number == PPROF_SAMPLE_LABEL &&
             !push_label(&fields->labels, reading, &field, index))
      return false;
  }
  if (!good)
    return mprof_error_memory(reading->error);
  return fields->hidden.count == 0 || insert_hidden(fields, reading, index);
}

void
sample_fields_release(struct sample_fields *fields)
{
  free(fields->locations.items);
  free(fields->values.items);
  free(fields->labels.items);
  free(fields->hidden.items);
  free(fields->whole.items);
}
