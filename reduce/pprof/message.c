/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format, and the one decoder of all of them: it checks
 * tags, wire types, varints and lengths against the end of the message in
 * which they are, wherever it goes, so that a fault is at the offset of the
 * first byte that is wrong.
 *
 * Field numbers and the wire format are in pprof_format.h.  The names are
 * profile.proto's, and stand in messages about damaged files.
 */

#include "pprof/reading.h"

#include <inttypes.h>
#include <string.h>

#define FIELDS(...)                                                          \
  (const struct wire_field_schema[]) { __VA_ARGS__ }
#define MESSAGE(text, ...)                                                   \
  {                                                                          \
    .name = text, .fields = FIELDS(__VA_ARGS__),                             \
    .field_count =                                                           \
        sizeof(FIELDS(__VA_ARGS__)) / sizeof(struct wire_field_schema)       \
  }

const struct wire_schema value_type_schema =
    MESSAGE("ValueType", [PPROF_VALUE_TYPE_NAME] = {"type", WIRE_TEXT},
            [PPROF_VALUE_TYPE_UNIT] = {"unit", WIRE_TEXT});

const struct wire_schema label_schema =
    MESSAGE("Label", [PPROF_LABEL_KEY] = {"key", WIRE_TEXT},
            [PPROF_LABEL_TEXT] = {"str", WIRE_TEXT},
            [PPROF_LABEL_NUMBER] = {"num", WIRE_NUMBER},
            [PPROF_LABEL_UNIT] = {"num_unit", WIRE_TEXT});

const struct wire_schema sample_schema = MESSAGE(
    "Sample", [PPROF_SAMPLE_LOCATIONS] = {"location_id", WIRE_NUMBERS},
    [PPROF_SAMPLE_VALUES] = {"value", WIRE_NUMBERS},
    [PPROF_SAMPLE_LABEL] = {"label", WIRE_MESSAGE, &label_schema},
    [PPROF_SAMPLE_HIDDEN] = {"mprof_hidden", WIRE_NUMBERS});

static const struct wire_schema mapping_schema = MESSAGE(
    "Mapping", [PPROF_MAPPING_ID] = {"id", WIRE_NUMBER},
    [PPROF_MAPPING_START] = {"memory_start", WIRE_NUMBER},
    [PPROF_MAPPING_END] = {"memory_limit", WIRE_NUMBER},
    [PPROF_MAPPING_OFFSET] = {"file_offset", WIRE_NUMBER},
    [PPROF_MAPPING_FILE] = {"filename", WIRE_TEXT},
    [PPROF_MAPPING_BUILD_ID] = {"build_id", WIRE_TEXT},
    [PPROF_MAPPING_HAS_FUNCTIONS] = {"has_functions", WIRE_NUMBER},
    [PPROF_MAPPING_HAS_FILENAMES] = {"has_filenames", WIRE_NUMBER},
    [PPROF_MAPPING_HAS_LINE_NUMBERS] = {"has_line_numbers", WIRE_NUMBER},
    [PPROF_MAPPING_HAS_INLINE_FRAMES] = {"has_inline_frames", WIRE_NUMBER});

const struct wire_schema line_schema =
    MESSAGE("Line", [PPROF_LINE_FUNCTION] = {"function_id", WIRE_NUMBER},
            [PPROF_LINE_NUMBER] = {"line", WIRE_NUMBER},
            [PPROF_LINE_COLUMN] = {"column", WIRE_NUMBER});

const struct wire_schema location_schema =
    MESSAGE("Location", [PPROF_LOCATION_ID] = {"id", WIRE_NUMBER},
            [PPROF_LOCATION_MAPPING] = {"mapping_id", WIRE_NUMBER},
            [PPROF_LOCATION_ADDRESS] = {"address", WIRE_NUMBER},
            [PPROF_LOCATION_LINE] = {"line", WIRE_MESSAGE, &line_schema},
            [PPROF_LOCATION_FOLDED] = {"is_folded", WIRE_NUMBER});

static const struct wire_schema function_schema =
    MESSAGE("Function", [PPROF_FUNCTION_ID] = {"id", WIRE_NUMBER},
            [PPROF_FUNCTION_NAME] = {"name", WIRE_TEXT},
            [PPROF_FUNCTION_SYSTEM_NAME] = {"system_name", WIRE_TEXT},
            [PPROF_FUNCTION_FILE] = {"filename", WIRE_TEXT},
            [PPROF_FUNCTION_START_LINE] = {"start_line", WIRE_NUMBER});

const struct wire_schema profile_schema = MESSAGE(
    "Profile",
    [PPROF_SAMPLE_TYPE] = {"sample_type", WIRE_MESSAGE, &value_type_schema},
    [PPROF_SAMPLE] = {"sample", WIRE_MESSAGE, &sample_schema},
    [PPROF_MAPPING] = {"mapping", WIRE_MESSAGE, &mapping_schema},
    [PPROF_LOCATION] = {"location", WIRE_MESSAGE, &location_schema},
    [PPROF_FUNCTION] = {"function", WIRE_MESSAGE, &function_schema},
    [PPROF_STRING] = {"string_table", WIRE_STRING},
    [PPROF_DROP_FRAMES] = {"drop_frames", WIRE_TEXT},
    [PPROF_KEEP_FRAMES] = {"keep_frames", WIRE_TEXT},
    [PPROF_TIME] = {"time_nanos", WIRE_NUMBER},
    [PPROF_DURATION] = {"duration_nanos", WIRE_NUMBER},
    [PPROF_PERIOD_TYPE] = {"period_type", WIRE_MESSAGE, &value_type_schema},
    [PPROF_PERIOD] = {"period", WIRE_NUMBER},
    [PPROF_COMMENT] = {"comment", WIRE_NUMBERS},
    [PPROF_DEFAULT_TYPE] = {"default_sample_type", WIRE_TEXT},
    [PPROF_OWN_COMMENT] = {"mprof_comment", WIRE_NUMBERS});

/* ---- the decoder ---- */

/* Reads a varint at *AT, which must end before END; moves *AT past it. */
static uint64_t
read_long_varint(const struct reading *reading, size_t *at, size_t end)
{
  const uint8_t *data = reading->file.data;
  uint64_t value = 0;
  for (unsigned shift = 0; *at < end; shift += 7) {
    uint8_t byte = data[*at];
    if (shift == 63 && byte > 1)
      reading_damaged(reading, *at, "a number is longer than 64 bits");
    value |= (uint64_t)(byte & 0x7f) << shift;
    ++*at;
    if (byte < 0x80)
      return value;
  }
  reading_damaged(reading, end, "a number is cut short");
}

/* Does the same; nearly all varints are one or two bytes long. */
static inline uint64_t
read_varint(const struct reading *reading, size_t *at, size_t end)
{
  const uint8_t *data = reading->file.data + *at;
  const size_t left = end - *at;
  if (left >= 1 && data[0] < 0x80) {
    *at += 1;
    return data[0];
  }
  if (left >= 2 && data[1] < 0x80) {
    *at += 2;
    return (data[0] & 0x7f) | (uint64_t)data[1] << 7;
  }
  return read_long_varint(reading, at, end);
}

/* Returns what the field with TAG, at offset AT, holds. */
static inline enum wire_kind
check_tag(const struct wire_walk *walk, uint64_t tag, size_t at)
{
  static const struct wire_field_schema unknown = {"unknown", WIRE_ANYTHING};
  enum { /* bits: wire types */
         VARINT = 1 << PPROF_WIRE_VARINT,
         BYTES = 1 << PPROF_WIRE_BYTES,
         ANY = VARINT | BYTES | 1 << PPROF_WIRE_64 | 1 << PPROF_WIRE_32
  };
  static const uint8_t fitting[] = {
      [WIRE_ANYTHING] = ANY, [WIRE_NUMBER] = VARINT,
      [WIRE_TEXT] = VARINT,  [WIRE_NUMBERS] = VARINT | BYTES,
      [WIRE_STRING] = BYTES, [WIRE_MESSAGE] = BYTES,
  };
  const struct wire_schema *schema = walk->schema;
  const unsigned type = (unsigned)(tag & 7);
  const uint64_t number = tag >> 3;
  if (number == 0 || tag > UINT32_MAX)
    reading_damaged(walk->reading, at, "field number %" PRIu64 " in a %s",
                    number, schema->name);
  if ((ANY >> type & 1) == 0)
    reading_damaged(walk->reading, at, "wire type %u in a %s", type,
                    schema->name);
  const struct wire_field_schema *known =
      number < schema->field_count ? &schema->fields[number] : &unknown;
  if ((fitting[known->kind] >> type & 1) == 0)
    reading_damaged(walk->reading, at, "field %s of a %s has wire type %u",
                    known->name, schema->name, type);
  return known->kind;
}

bool
wire_next(struct wire_walk *walk, struct wire_field *field)
{
  const struct reading *reading = walk->reading;
  const size_t end = walk->end;
  size_t at = walk->at;
  if (at >= end)
    return false;
  field->at = at;
  const uint64_t tag = read_varint(reading, &at, end);
  field->kind = check_tag(walk, tag, field->at);
  field->number = (uint32_t)(tag >> 3);
  field->bytes = NULL;
  field->size = 0;
  const size_t value_at = at;
  if ((tag & 7) == PPROF_WIRE_VARINT) {
    field->value = read_varint(reading, &at, end);
  } else if ((tag & 7) == PPROF_WIRE_BYTES) {
    const uint64_t length = read_varint(reading, &at, end);
    if (length > end - at)
      reading_damaged(reading, value_at,
                      "a length of %" PRIu64 " bytes where %zu are left",
                      length, end - at);
    field->size = (size_t)length;
    field->bytes = reading->file.data + at;
    at += field->size;
  } else {
    const size_t width = (tag & 7) == PPROF_WIRE_64 ? 8 : 4;
    if (end - at < width)
      reading_damaged(reading, end, "a number is cut short");
    at += width;
  }
  walk->at = at;
  return true;
}

struct wire_walk
wire_walk(const struct reading *reading, const struct wire_schema *schema,
          const struct wire_field *message)
{
  size_t at = 0;
  size_t end = reading->file.length;
  if (message != NULL) {
    at = (size_t)(message->bytes - reading->file.data);
    end = at + message->size;
  }
  return (struct wire_walk){reading, schema, at, end};
}

void
wire_read_numbers(const struct reading *reading,
                  const struct wire_field *field, struct numbers *numbers)
{
  if (field->bytes == NULL) {
    numbers_push(numbers, field->value);
    return;
  }
  size_t at = (size_t)(field->bytes - reading->file.data);
  const size_t end = at + field->size;
  numbers_reserve(numbers, field->size);
  uint64_t *to = numbers->items + numbers->count;
  while (at < end)
    *to++ = read_varint(reading, &at, end);
  numbers->count = (size_t)(to - numbers->items);
}

bool
wire_read_message(const struct reading *reading,
                  const struct wire_schema *schema,
                  const struct wire_field *message, uint64_t *values)
{
  struct wire_walk walk = wire_walk(reading, schema, message);
  struct wire_field field;
  uint32_t name;
  bool good = true;
  memset(values, 0, schema->field_count * sizeof *values);
  while (wire_next(&walk, &field))
    if (field.kind == WIRE_NUMBER || field.kind == WIRE_TEXT)
      values[field.number] = field.value;
  for (size_t i = 0; i < schema->field_count; i++)
    if (schema->fields[i].kind == WIRE_TEXT) {
      good = reading_string(reading, values[i], &name) && good;
      values[i] = good ? name : 0;
    }
  return good;
}

/* Checks the packed numbers of FIELD, of which nearly all are one byte long.
 */
static void
check_numbers(const struct reading *reading, const struct wire_field *field)
{
  const uint8_t *data = reading->file.data;
  size_t at = (size_t)(field->bytes - data);
  const size_t end = at + field->size;
  while (at < end) {
    uint64_t bytes = UINT64_MAX;
    if (end - at >= sizeof bytes)
      memcpy(&bytes, data + at, sizeof bytes);
    if ((bytes & UINT64_C(0x8080808080808080)) == 0)
      at += sizeof bytes; /* none of them goes on in the next */
    else
      read_varint(reading, &at, end);
  }
}

void
wire_check(const struct reading *reading, const struct wire_schema *schema,
           const struct wire_field *field)
{
  if (field->kind == WIRE_NUMBERS && field->bytes != NULL)
    check_numbers(reading, field);
  if (field->kind != WIRE_MESSAGE)
    return;
  schema = schema->fields[field->number].message;
  struct wire_walk walk = wire_walk(reading, schema, field);
  struct wire_field part;
  while (wire_next(&walk, &part))
    wire_check(reading, schema, &part);
}
