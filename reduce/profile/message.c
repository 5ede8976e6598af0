/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format, and the one decoder of all of them: it checks
 * tags, wire types, varints and lengths against the end of the message in
 * which they are, wherever it goes, so that a fault is at the offset of the
 * first byte that is wrong.
 *
 * Field numbers and the wire format are in pprof_format.h.  The names are
 * profile.proto's, and stand in messages about damaged files.
 */

#include "profile/reading.h"

#include <inttypes.h>

/* A kind of message.  The name of a field stands behind the mark of what it
 * holds; a digit is an index into schemas. */
static const struct wire_schema {
  const char *name;
  const char *fields[MESSAGE_FIELDS]; /* by number; NULL: none */
  const char *own;                    /* number 1001, mprof's own */
} schemas[] = {
    {"Profile",
     {"", "1sample_type", "2sample", "4mapping", "5location", "7function",
      "\"string_table", "$drop_frames", "$keep_frames", "#time_nanos",
      "#duration_nanos", "1period_type", "#period", "*comment",
      "$default_sample_type"},
     "*mprof_comment"},
    {"ValueType", {"", "$type", "$unit"}},
    {"Sample", {"", "*location_id", "*value", "3label"}, "*mprof_hidden"},
    {"Label", {"", "$key", "$str", "#num", "$num_unit"}},
    {"Mapping",
     {"", "#id", "#memory_start", "#memory_limit", "#file_offset",
      "$filename", "$build_id", "#has_functions", "#has_filenames",
      "#has_line_numbers", "#has_inline_frames"}},
    {"Location",
     {"", "#id", "#mapping_id", "#address", "6line", "#is_folded"}},
    {"Line", {"", "#function_id", "#line", "#column"}},
    {"Function",
     {"", "#id", "$name", "$system_name", "$filename", "#start_line"}},
};

/* ---- the decoder ---- */

/* Reads a varint at *AT, which must end before END; moves *AT past it. */
static inline uint64_t
read_varint(const struct reading *reading, size_t *at, size_t end)
{
  const uint8_t *data = reading->file.data;
  uint64_t value = 0;
  size_t next = *at;
  if (next < end && data[next] < 0x80) /* as nearly all are */
    return data[(*at)++];
  for (unsigned shift = 0; next < end; shift += 7) {
    const uint8_t byte = data[next];
    if (shift == 63 && byte > 1)
      reading_damaged(reading, next, "a number is longer than 64 bits");
    value |= (uint64_t)(byte & 0x7f) << shift;
    next++;
    if (byte < 0x80) {
      *at = next;
      return value;
    }
  }
  reading_damaged(reading, end, "a number is cut short");
}

enum { /* bits: wire types */
       VARINT = 1 << PPROF_WIRE_VARINT,
       BYTES = 1 << PPROF_WIRE_BYTES,
       ANY = VARINT | BYTES | 1 << PPROF_WIRE_64 | 1 << PPROF_WIRE_32
};

/* By mark of a field, the wire types that fit. */
static const uint8_t fitting[128] = {
    [WIRE_ANYTHING] = ANY, [WIRE_NUMBER] = VARINT,
    [WIRE_TEXT] = VARINT,  [WIRE_NUMBERS] = VARINT | BYTES,
    [WIRE_STRING] = BYTES, ['1' ... '7'] = BYTES,
};

/* Fails for the TAG at offset AT, of a field with that NAME. */
static _Noreturn void
refuse_tag(const struct wire_walk *walk, uint64_t tag, const char *name,
           size_t at)
{
  const char *message = walk->schema->name;
  const unsigned type = (unsigned)(tag & 7);
  if (tag >> 3 == 0 || tag > UINT32_MAX)
    reading_damaged(walk->reading, at, "field number %" PRIu64 " in a %s",
                    tag >> 3, message);
  if ((ANY >> type & 1) == 0)
    reading_damaged(walk->reading, at, "wire type %u in a %s", type, message);
  reading_damaged(walk->reading, at, "field %s of a %s has wire type %u",
                  name + 1, message, type);
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
  const uint64_t number = tag >> 3;
  const char *name = number < MESSAGE_FIELDS ? walk->schema->fields[number]
                     : number == PPROF_OWN_COMMENT ? walk->schema->own
                                                   : NULL;
  field->number = (uint32_t)number;
  field->mark = name == NULL ? (char)WIRE_ANYTHING : *name;
  if ((fitting[(size_t)field->mark] >> (tag & 7) & 1) == 0 ||
      tag > UINT32_MAX)
    refuse_tag(walk, tag, name, field->at);
  field->value = 0;
  field->bytes = NULL;
  field->size = 0;
  if ((tag & 7) == PPROF_WIRE_VARINT) {
    field->value = read_varint(reading, &at, end);
  } else if ((tag & 7) == PPROF_WIRE_BYTES) {
    const size_t length_at = at;
    const uint64_t length = read_varint(reading, &at, end);
    if (length > end - at)
      reading_damaged(reading, length_at,
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
wire_walk(const struct reading *reading, const struct wire_field *field)
{
  if (field == NULL)
    return (struct wire_walk){reading, schemas, 0, reading->file.length};
  const size_t at = (size_t)(field->bytes - reading->file.data);
  return (struct wire_walk){reading, &schemas[field->mark - '0'], at,
                            at + field->size};
}

void
wire_read_numbers(const struct reading *reading,
                  const struct wire_field *field, struct numbers *numbers)
{
  if (field->bytes == NULL) {
    numbers_push(numbers, field->value);
    return;
  }
  const uint8_t *const data = reading->file.data;
  const uint8_t *next = field->bytes;
  const uint8_t *const end = next + field->size;
  numbers_reserve(numbers, field->size);
  uint64_t *to = numbers->items + numbers->count;
  while (next < end)
    if (next[0] < 0x80) {
      *to++ = *next++;
    } else if (end - next >= 2 && next[1] < 0x80) {
      *to++ = (next[0] & 0x7fu) | (uint64_t)next[1] << 7;
      next += 2;
    } else {
      size_t at = (size_t)(next - data);
      *to++ = read_varint(reading, &at, (size_t)(end - data));
      next = data + at;
    }
  numbers->count = (size_t)(to - numbers->items);
}

bool
reading_string(const struct reading *reading, uint64_t index, uint32_t *name)
{
  if (index >= reading->string_count)
    return false;
  *name = reading->strings[index];
  return true;
}

bool
wire_read_message(const struct reading *reading,
                  const struct wire_field *field,
                  uint64_t values[MESSAGE_FIELDS])
{
  struct wire_walk walk = wire_walk(reading, field);
  struct wire_field part;
  uint32_t name;
  bool good = true;
  memset(values, 0, MESSAGE_FIELDS * sizeof *values);
  while (wire_next(&walk, &part))
    if (part.mark == WIRE_NUMBER || part.mark == WIRE_TEXT)
      values[part.number] = part.value;
  for (size_t i = 1; walk.schema->fields[i] != NULL; i++)
    if (*walk.schema->fields[i] == WIRE_TEXT) {
      good = reading_string(reading, values[i], &name) && good;
      values[i] = good ? name : 0;
    }
  return good;
}

/* Checks all that WALK comes to, with the messages in it, which are three
 * deep, whatever the input says. */
static void
check_all(struct wire_walk walk)
{
  struct wire_field field;
  while (wire_next(&walk, &field)) {
    size_t at = walk.at - field.size;
    while (field.mark == WIRE_NUMBERS && field.bytes != NULL && at < walk.at)
      read_varint(walk.reading, &at, walk.at);
    if (field.mark >= '0' && field.mark <= '9')
      check_all(wire_walk(walk.reading, &field));
  }
}

void
wire_check(const struct reading *reading)
{
  struct wire_walk walk = wire_walk(reading, NULL);
  walk.at = reading->file.forgotten;
  check_all(walk);
}
