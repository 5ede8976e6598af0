/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Since wire_scan has seen the bytes, every number and every length ends
 * where it may, and a field of a known number has a type that it may have.
 * (protobuf-c's own decoder makes a block of memory for each array, message
 * and label.  A report of 10^5 contexts took 1.7 thousand million
 * instructions with it, 1.2 so.)
 */

#include "profile/wire_sample.h"

#include "profile/array.h"
#include "profile/wire_scan.h"

#include <string.h>

enum sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };

static void
decode_label(struct wire_label *label, const uint8_t *data, size_t size)
{
  struct wire_field field;
  memset(label, 0, sizeof *label);
  for (size_t at = 0; at < size;) {
    wire_read_field(data, &at, &field);
    switch (field.number) {
    case LABEL_KEY: label->key = (int64_t)field.value; break;
    case LABEL_TEXT: label->text = (int64_t)field.value; break;
    case LABEL_NUMBER: label->number = (int64_t)field.value; break;
    case LABEL_UNIT: label->unit = (int64_t)field.value; break;
    default: break;
    }
  }
}

/* Appends the numbers of FIELD, one or a packed run of them, to the array
 * NUMBERS of *COUNT; NULL when memory runs out. */
static void *
add_numbers(uint64_t *numbers, size_t *count, size_t *capacity,
            const struct wire_field *field)
{
  size_t most = field->bytes == NULL ? 1 : field->size;
  numbers =
      array_reserve(numbers, capacity, *count + most, sizeof *numbers);
  if (numbers == NULL)
    return NULL;
  if (field->bytes == NULL)
    numbers[(*count)++] = field->value;
  else
    for (size_t at = 0; at < field->size;)
      numbers[(*count)++] = wire_read_number(field->bytes, &at);
  return numbers;
}

bool
wire_sample_decode(struct wire_sample *sample, const uint8_t *data,
                   size_t size)
{
  struct wire_field field;
  void *array;
  sample->location_count = sample->value_count = sample->label_count = 0;
  for (size_t at = 0; at < size;) {
    wire_read_field(data, &at, &field);
    switch (field.number) {
    case SAMPLE_LOCATION:
      array = add_numbers(sample->locations, &sample->location_count,
                          &sample->location_capacity, &field);
      if (array == NULL)
        return false;
      sample->locations = array;
      break;
    case SAMPLE_VALUE:
      array = add_numbers(sample->values, &sample->value_count,
                          &sample->value_capacity, &field);
      if (array == NULL)
        return false;
      sample->values = array;
      break;
    case SAMPLE_LABEL:
      array = array_reserve(sample->labels, &sample->label_capacity,
                            sample->label_count + 1, sizeof *sample->labels);
      if (array == NULL)
        return false;
      sample->labels = array;
      decode_label(&sample->labels[sample->label_count++], field.bytes,
                   field.size);
      break;
    default:
      break;
    }
  }
  return true;
}

void
wire_sample_release(struct wire_sample *sample)
{
  free(sample->locations);
  free(sample->values);
  free(sample->labels);
  memset(sample, 0, sizeof *sample);
}
