/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The wire format is in pprof_format.h.  One pass, linear in the input.  It
 * recurses once for each level of the schema, which is three deep, whatever
 * the input says.
 */

#include "pprof/wire.h"

#include "common/pprof_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct scan {
  const uint8_t *data;
  struct wire_fault *fault;
};

static bool
fault_at(struct scan *scan, size_t offset, const char *format, ...)
{
  scan->fault->offset = offset;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(scan->fault->reason, sizeof scan->fault->reason, format,
            arguments);
  va_end(arguments);
  return false;
}

/* Reads the varint at *AT, which must end before END; moves *AT past it. */
static bool
scan_varint(struct scan *scan, size_t *at, size_t end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; *at < end; shift += 7) {
    uint8_t byte = scan->data[*at];
    if (shift == 63 && byte > 1)
      return fault_at(scan, *at, "a number is longer than 64 bits");
    *value |= (uint64_t)(byte & 0x7f) << shift;
    ++*at;
    if (byte < 0x80)
      return true;
  }
  return fault_at(scan, end, "a number is cut short");
}

/* A run of numbers, of which nearly all are one byte long. */
static bool
scan_packed(struct scan *scan, size_t at, size_t end)
{
  while (at < end) {
    uint64_t bytes = UINT64_MAX;
    if (end - at >= sizeof bytes)
      memcpy(&bytes, scan->data + at, sizeof bytes);
    if ((bytes & UINT64_C(0x8080808080808080)) == 0)
      at += sizeof bytes; /* none of them goes on in the next */
    else if (scan->data[at] < 0x80)
      at++;
    else if (!scan_varint(scan, &at, end, &bytes))
      return false;
  }
  return true;
}

static bool scan_message(struct scan *scan, const struct wire_schema *schema,
                         size_t at, size_t end);

/* The length-delimited value of FIELD at *AT; moves *AT past it. */
static bool
scan_bytes(struct scan *scan, const struct wire_field_schema *field,
           size_t *at, size_t end)
{
  size_t length_at = *at;
  uint64_t length;
  if (!scan_varint(scan, at, end, &length))
    return false;
  if (length > end - *at)
    return fault_at(scan, length_at,
                    "a length of %llu bytes where %zu are left",
                    (unsigned long long)length, end - *at);
  size_t start = *at;
  *at += (size_t)length;
  if (field->kind == WIRE_MESSAGE)
    return scan_message(scan, field->message, start, *at);
  if (field->kind == WIRE_NUMBERS)
    return scan_packed(scan, start, *at);
  const uint8_t *nul = field->kind == WIRE_STRING
                           ? memchr(scan->data + start, 0, *at - start)
                           : NULL;
  return nul == NULL || fault_at(scan, (size_t)(nul - scan->data),
                                 "a string holds a NUL character");
}

static bool
scan_message(struct scan *scan, const struct wire_schema *schema, size_t at,
             size_t end)
{
  static const struct wire_field_schema unknown = {"unknown", WIRE_ANYTHING,
                                                   NULL};
  enum { /* bits: wire types */
    VARINT = 1 << PPROF_WIRE_VARINT,
    BYTES = 1 << PPROF_WIRE_BYTES,
    ANY = VARINT | BYTES | 1 << PPROF_WIRE_64 | 1 << PPROF_WIRE_32
  };
  static const unsigned fitting[] = {
      [WIRE_ANYTHING] = ANY,           [WIRE_NUMBER] = VARINT,
      [WIRE_TEXT] = VARINT,            [WIRE_STRING] = BYTES,
      [WIRE_NUMBERS] = VARINT | BYTES, [WIRE_MESSAGE] = BYTES,
  };
  while (at < end) {
    size_t tag_at = at;
    uint64_t tag, ignored;
    if (!scan_varint(scan, &at, end, &tag))
      return false;
    unsigned type = (unsigned)(tag & 7);
    uint64_t number = tag >> 3;
    if (number == 0 || tag > UINT32_MAX)
      return fault_at(scan, tag_at, "field number %llu in a %s",
                      (unsigned long long)number, schema->name);
    if ((ANY >> type & 1) == 0)
      return fault_at(scan, tag_at, "wire type %u in a %s", type,
                      schema->name);
    const struct wire_field_schema *field =
        number < schema->field_count ? &schema->fields[number] : &unknown;
    size_t width = type == PPROF_WIRE_64 ? 8 : 4;
    if ((fitting[field->kind] >> type & 1) == 0)
      return fault_at(scan, tag_at, "field %s of a %s has wire type %u",
                      field->name, schema->name, type);
    if (type == PPROF_WIRE_VARINT) {
      if (!scan_varint(scan, &at, end, &ignored))
        return false;
    } else if (type == PPROF_WIRE_BYTES) {
      if (!scan_bytes(scan, field, &at, end))
        return false;
    } else if (end - at < width) {
      return fault_at(scan, end, "a number is cut short");
    } else {
      at += width;
    }
  }
  return true;
}

bool
wire_scan(const struct wire_schema *schema, const uint8_t *data,
          size_t length, struct wire_fault *fault)
{
  struct scan scan = {data, fault};
  return scan_message(&scan, schema, 0, length);
}

void
wire_read_field(const uint8_t *data, size_t *at, struct wire_field *field)
{
  uint64_t tag = wire_read_number(data, at);
  field->number = (uint32_t)(tag >> 3);
  field->bytes = NULL;
  field->size = 0;
  switch (tag & 7) {
  case PPROF_WIRE_64:
  case PPROF_WIRE_32:
    *at += (tag & 7) == PPROF_WIRE_64 ? 8 : 4;
    break;
  case PPROF_WIRE_BYTES:
    field->size = (size_t)wire_read_number(data, at);
    field->bytes = data + *at;
    *at += field->size;
    break;
  default:
    field->value = wire_read_number(data, at);
  }
}

size_t
wire_find(const uint8_t *data, size_t length, uint32_t field, size_t index)
{
  for (size_t at = 0; at < length;) {
    size_t from = at;
    struct wire_field found;
    wire_read_field(data, &at, &found);
    if (found.number == field && index-- == 0)
      return from;
  }
  return length;
}

bool
wire_read_numbers(const struct wire_field *field, struct numbers *numbers)
{
  if (field->bytes == NULL)
    return numbers_push(numbers, field->value);
  if (!numbers_reserve(numbers, field->size))
    return false;
  uint64_t *end = numbers->items + numbers->count;
  for (size_t at = 0; at < field->size;)
    *end++ = wire_read_number(field->bytes, &at);
  numbers->count = (size_t)(end - numbers->items);
  return true;
}
