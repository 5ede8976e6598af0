/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format, and a look at a whole file before any of it is
 * decoded, which names the offset of the first byte that is wrong: tags, wire
 * types, varints, lengths.  It recurses once for each
 * level of the messages, which is three deep, whatever the input says.
 *
 * Field numbers are those of pprof_format.h, where the wire format is, too;
 * the names are profile.proto's, and stand in messages about damaged files.
 */

#include "pprof/reading.h"

#include <inttypes.h>
#include <string.h>

#define MESSAGE(text, ...)                                                   \
  {                                                                          \
    .name = text, .fields = (const struct wire_field_schema[]){__VA_ARGS__}, \
    .field_count = sizeof((const struct wire_field_schema[]){__VA_ARGS__}) / \
                   sizeof(struct wire_field_schema)                          \
  }

const struct wire_schema value_type_schema =
    MESSAGE("ValueType", [PPROF_VALUE_TYPE_NAME] = {"type", WIRE_TEXT, NULL},
            [PPROF_VALUE_TYPE_UNIT] = {"unit", WIRE_TEXT, NULL});

const struct wire_schema label_schema =
    MESSAGE("Label", [PPROF_LABEL_KEY] = {"key", WIRE_TEXT, NULL},
            [PPROF_LABEL_TEXT] = {"str", WIRE_TEXT, NULL},
            [PPROF_LABEL_NUMBER] = {"num", WIRE_NUMBER, NULL},
            [PPROF_LABEL_UNIT] = {"num_unit", WIRE_TEXT, NULL});

static const struct wire_schema sample_schema = MESSAGE(
    "Sample", [PPROF_SAMPLE_LOCATIONS] = {"location_id", WIRE_NUMBERS, NULL},
    [PPROF_SAMPLE_VALUES] = {"value", WIRE_NUMBERS, NULL},
    [PPROF_SAMPLE_LABEL] = {"label", WIRE_MESSAGE, &label_schema},
    [PPROF_SAMPLE_HIDDEN] = {"mprof_hidden", WIRE_NUMBERS, NULL});

static const struct wire_schema mapping_schema = MESSAGE(
    "Mapping", [PPROF_MAPPING_ID] = {"id", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_START] = {"memory_start", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_END] = {"memory_limit", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_OFFSET] = {"file_offset", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_FILE] = {"filename", WIRE_TEXT, NULL},
    [PPROF_MAPPING_BUILD_ID] = {"build_id", WIRE_TEXT, NULL},
    [PPROF_MAPPING_HAS_FUNCTIONS] = {"has_functions", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_HAS_FILENAMES] = {"has_filenames", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_HAS_LINE_NUMBERS] = {"has_line_numbers", WIRE_NUMBER,
                                        NULL},
    [PPROF_MAPPING_HAS_INLINE_FRAMES] = {"has_inline_frames", WIRE_NUMBER,
                                         NULL});

const struct wire_schema line_schema = MESSAGE(
    "Line", [PPROF_LINE_FUNCTION] = {"function_id", WIRE_NUMBER, NULL},
    [PPROF_LINE_NUMBER] = {"line", WIRE_NUMBER, NULL},
    [PPROF_LINE_COLUMN] = {"column", WIRE_NUMBER, NULL});

static const struct wire_schema location_schema =
    MESSAGE("Location", [PPROF_LOCATION_ID] = {"id", WIRE_NUMBER, NULL},
            [PPROF_LOCATION_MAPPING] = {"mapping_id", WIRE_NUMBER, NULL},
            [PPROF_LOCATION_ADDRESS] = {"address", WIRE_NUMBER, NULL},
            [PPROF_LOCATION_LINE] = {"line", WIRE_MESSAGE, &line_schema},
            [PPROF_LOCATION_FOLDED] = {"is_folded", WIRE_NUMBER, NULL});

static const struct wire_schema function_schema =
    MESSAGE("Function", [PPROF_FUNCTION_ID] = {"id", WIRE_NUMBER, NULL},
            [PPROF_FUNCTION_NAME] = {"name", WIRE_TEXT, NULL},
            [PPROF_FUNCTION_SYSTEM_NAME] = {"system_name", WIRE_TEXT, NULL},
            [PPROF_FUNCTION_FILE] = {"filename", WIRE_TEXT, NULL},
            [PPROF_FUNCTION_START_LINE] = {"start_line", WIRE_NUMBER, NULL});

const struct wire_schema profile_schema = MESSAGE(
    "Profile",
    [PPROF_SAMPLE_TYPE] = {"sample_type", WIRE_MESSAGE, &value_type_schema},
    [PPROF_SAMPLE] = {"sample", WIRE_MESSAGE, &sample_schema},
    [PPROF_MAPPING] = {"mapping", WIRE_MESSAGE, &mapping_schema},
    [PPROF_LOCATION] = {"location", WIRE_MESSAGE, &location_schema},
    [PPROF_FUNCTION] = {"function", WIRE_MESSAGE, &function_schema},
    [PPROF_STRING] = {"string_table", WIRE_STRING, NULL},
    [PPROF_DROP_FRAMES] = {"drop_frames", WIRE_TEXT, NULL},
    [PPROF_KEEP_FRAMES] = {"keep_frames", WIRE_TEXT, NULL},
    [PPROF_TIME] = {"time_nanos", WIRE_NUMBER, NULL},
    [PPROF_DURATION] = {"duration_nanos", WIRE_NUMBER, NULL},
    [PPROF_PERIOD_TYPE] = {"period_type", WIRE_MESSAGE, &value_type_schema},
    [PPROF_PERIOD] = {"period", WIRE_NUMBER, NULL},
    [PPROF_COMMENT] = {"comment", WIRE_NUMBERS, NULL},
    [PPROF_DEFAULT_TYPE] = {"default_sample_type", WIRE_TEXT, NULL},
    [PPROF_OWN_COMMENT] = {"mprof_comment", WIRE_NUMBERS, NULL});

/* ---- the look at a file ---- */

#define damaged(reading, offset, ...)                                        \
  reading_fault_at(reading, offset,                                          \
                   "is not a profile, or is damaged: " __VA_ARGS__)

/* A varint of several bytes, for the next. */
static uint64_t
scan_long_varint(const struct reading *reading, size_t *at, size_t end)
{
  const uint8_t *data = reading->file.data;
  uint64_t value = 0;
  for (unsigned shift = 0; *at < end; shift += 7) {
    uint8_t byte = data[*at];
    if (shift == 63 && byte > 1)
      damaged(reading, *at, "a number is longer than 64 bits");
    value |= (uint64_t)(byte & 0x7f) << shift;
    ++*at;
    if (byte < 0x80)
      return value;
  }
  damaged(reading, end, "a number is cut short");
}

/* Reads the varint at *AT, which must end before END; moves *AT past it.
 * Nearly all are one byte long. */
static inline uint64_t
scan_varint(const struct reading *reading, size_t *at, size_t end)
{
  const uint8_t *data = reading->file.data;
  return *at < end && data[*at] < 0x80 ? data[(*at)++]
                                       : scan_long_varint(reading, at, end);
}

/* A run of numbers, of which nearly all are one byte long. */
static void
scan_packed(const struct reading *reading, size_t at, size_t end)
{
  while (at < end) {
    uint64_t bytes = UINT64_MAX;
    if (end - at >= sizeof bytes)
      memcpy(&bytes, reading->file.data + at, sizeof bytes);
    if ((bytes & UINT64_C(0x8080808080808080)) == 0)
      at += sizeof bytes; /* none of them goes on in the next */
    else
      scan_varint(reading, &at, end);
  }
}

static void scan_message(const struct reading *reading,
                         const struct wire_schema *schema, size_t at,
                         size_t end);

/* The length-delimited value of FIELD at *AT; moves *AT past it. */
static void
scan_bytes(const struct reading *reading,
           const struct wire_field_schema *field, size_t *at, size_t end)
{
  size_t length_at = *at;
  uint64_t length = scan_varint(reading, at, end);
  if (length > end - *at)
    damaged(reading, length_at,
            "a length of %" PRIu64 " bytes where %zu are left", length,
            end - *at);
  size_t start = *at;
  *at += (size_t)length;
  if (field->kind == WIRE_MESSAGE)
    scan_message(reading, field->message, start, *at);
  if (field->kind == WIRE_NUMBERS)
    scan_packed(reading, start, *at);
}

static void
scan_message(const struct reading *reading, const struct wire_schema *schema,
             size_t at, size_t end)
{
  static const struct wire_field_schema unknown = {"unknown", WIRE_ANYTHING,
                                                   NULL};
  enum { /* bits: wire types */
         VARINT = 1 << PPROF_WIRE_VARINT,
         BYTES = 1 << PPROF_WIRE_BYTES,
         ANY = VARINT | BYTES | 1 << PPROF_WIRE_64 | 1 << PPROF_WIRE_32
  };
  static const unsigned fitting[] = {
      [WIRE_ANYTHING] = ANY,
      [WIRE_NUMBER] = VARINT,
      [WIRE_TEXT] = VARINT,
      [WIRE_STRING] = BYTES,
      [WIRE_NUMBERS] = VARINT | BYTES,
      [WIRE_MESSAGE] = BYTES,
  };
  while (at < end) {
    size_t tag_at = at;
    uint64_t tag = scan_varint(reading, &at, end);
    unsigned type = (unsigned)(tag & 7);
    uint64_t number = tag >> 3;
    if (number == 0 || tag > UINT32_MAX)
      damaged(reading, tag_at, "field number %" PRIu64 " in a %s", number,
              schema->name);
    if ((ANY >> type & 1) == 0)
      damaged(reading, tag_at, "wire type %u in a %s", type, schema->name);
    const struct wire_field_schema *field =
        number < schema->field_count ? &schema->fields[number] : &unknown;
    size_t width = type == PPROF_WIRE_64 ? 8 : 4;
    if ((fitting[field->kind] >> type & 1) == 0)
      damaged(reading, tag_at, "field %s of a %s has wire type %u",
              field->name, schema->name, type);
    if (type == PPROF_WIRE_VARINT)
      scan_varint(reading, &at, end);
    else if (type == PPROF_WIRE_BYTES)
      scan_bytes(reading, field, &at, end);
    else if (end - at < width)
      damaged(reading, end, "a number is cut short");
    else
      at += width;
  }
}

/* Lists all fields but samples.  Their decoded size is bounded before any
 * of it is made: two bytes of input can become a hundred of structure.  The
 * memory of chains is counted when they are read. */
static void
list_fields(struct reading *reading)
{
  enum { MOST_FOR_A_BYTE = 40, LEAST_FOR_A_SAMPLE = 48 };
  const struct input_file *file = &reading->file;
  uint64_t most = input_file_memory_limit(file, reading->options->limits);
  uint64_t taken = 0;
  reading->comment_at = file->length;
  for (size_t at = 0; at < file->length;) {
    struct wire_field field;
    wire_read_field(file->data, &at, &field);
    uint64_t bytes = sizeof field +
                     (uint64_t)field.size *
                         (field.number == PPROF_STRING ? 1 : MOST_FOR_A_BYTE);
    if (taken + bytes > most)
      damaged(reading, field.at, "decodes to more than %" PRIu64 " bytes",
              most);
    if (field.number == PPROF_COMMENT && field.at < reading->comment_at)
      reading->comment_at = field.at;
    taken += field.number == PPROF_SAMPLE ? LEAST_FOR_A_SAMPLE : bytes;
    if (field.number == PPROF_SAMPLE)
      continue;
    if (field.number == PPROF_COMMENT || field.number == PPROF_OWN_COMMENT)
      wire_read_numbers(&field, &reading->comments);
    else
      ARRAY_PUSH(reading->fields, reading->field_count,
                 reading->field_capacity, field);
    reading->string_count += field.number == PPROF_STRING;
  }
}

void
reading_scan(struct reading *reading)
{
  scan_message(reading, &profile_schema, 0, reading->file.length);
  list_fields(reading);
}
