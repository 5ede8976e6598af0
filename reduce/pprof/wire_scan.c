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

enum {
  MAX_DEPTH = 8,    /* more than any schema here needs */
  BLOCK_BYTES = 16, /* what malloc adds to a block, about */
};

struct scan {
  const uint8_t *data;
  uint64_t decoded_bytes;
  uint64_t decoded_limit;
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

/* Reads the varint at *AT, which must end before END; moves *AT past it.
 * On false *AT is the byte that is missing or wrong. */
static bool
read_varint(const uint8_t *data, size_t *at, size_t end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (*at >= end)
      return false;
    uint8_t byte = data[*at];
    if (shift == 63 && byte > 1)
      return false;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    ++*at;
    if (byte < 0x80)
      return true;
  }
  return false;
}

static bool
scan_varint(struct scan *scan, size_t *at, size_t end, uint64_t *value)
{
  if (read_varint(scan->data, at, end, value))
    return true;
  return fault_at(scan, *at,
                  *at >= end ? "a number is cut short"
                             : "a number is longer than 64 bits");
}

/* Notes that decoding needs BYTES more. */
static bool
charge(struct scan *scan, size_t offset, uint64_t bytes)
{
  scan->decoded_bytes += bytes;
  if (scan->decoded_bytes <= scan->decoded_limit)
    return true;
  return fault_at(scan, offset, "decodes to more than %llu bytes",
                  (unsigned long long)scan->decoded_limit);
}

static bool scan_message(struct scan *scan, const struct wire_schema *schema,
                         size_t at, size_t end, unsigned depth);

/* A message within another. */
static bool
scan_part(struct scan *scan, const struct wire_schema *schema, size_t at,
          size_t end, unsigned depth)
{
  uint64_t kept = scan->decoded_bytes + schema->decoded_bytes;
  bool good = scan_message(scan, schema, at, end, depth);
  if (schema->piecewise)
    scan->decoded_bytes = kept;
  return good;
}

/* Whether none of the eight bytes at DATA goes on in the next. */
static bool
are_short(const uint8_t *data)
{
  uint64_t bytes;
  memcpy(&bytes, data, sizeof bytes);
  return (bytes & UINT64_C(0x8080808080808080)) == 0;
}

/* A run of numbers, of which nearly all are one or two bytes long. */
static bool
scan_packed(struct scan *scan, size_t at, size_t end)
{
  uint64_t ignored;
  if (!charge(scan, at, (end - at) * sizeof(uint64_t)))
    return false;
  while (at < end)
    if (end - at >= sizeof(uint64_t) && are_short(scan->data + at))
      at += sizeof(uint64_t);
    else if (scan->data[at] < 0x80)
      at++;
    else if (end - at >= 2 && scan->data[at + 1] < 0x80)
      at += 2;
    else if (!scan_varint(scan, &at, end, &ignored))
      return false;
  return true;
}

/* The length-delimited value from AT to END of FIELD. */
static bool
scan_bytes(struct scan *scan, const struct wire_field_schema *field,
           size_t at, size_t end, unsigned depth)
{
  const uint8_t *nul;
  switch (field->kind) {
  case WIRE_MESSAGE:
    return scan_part(scan, field->message, at, end, depth + 1);
  case WIRE_NUMBERS:
    return scan_packed(scan, at, end);
  case WIRE_STRING:
    nul = memchr(scan->data + at, 0, end - at);
    if (nul != NULL)
      return fault_at(scan, (size_t)(nul - scan->data),
                      "a string holds a NUL character");
    return charge(scan, at,
                  BLOCK_BYTES + sizeof(char *) + (uint64_t)(end - at) + 1);
  default:
    return true;
  }
}

/* The value at *AT of the wire type TYPE; moves *AT past it. */
static bool
scan_value(struct scan *scan, const struct wire_field_schema *field,
           unsigned type, size_t *at, size_t end, unsigned depth)
{
  uint64_t number;
  if (type == PPROF_WIRE_VARINT)
    return scan_varint(scan, at, end, &number);
  if (type == PPROF_WIRE_BYTES) {
    size_t length_at = *at;
    if (!scan_varint(scan, at, end, &number))
      return false;
    if (number > end - *at)
      return fault_at(scan, length_at,
                      "a length of %llu bytes where %zu are left",
                      (unsigned long long)number, end - *at);
    size_t start = *at;
    *at += (size_t)number;
    return scan_bytes(scan, field, start, *at, depth);
  }
  size_t width = type == PPROF_WIRE_64 ? 8 : 4;
  if (end - *at < width)
    return fault_at(scan, end, "a number is cut short");
  *at += width;
  return true;
}

/* Whether a value of FIELD may have the wire type TYPE. */
static bool
fits(const struct wire_field_schema *field, unsigned type)
{
  if (field->kind == WIRE_ANYTHING)
    return true;
  if (type == PPROF_WIRE_BYTES)
    return field->kind != WIRE_NUMBER;
  return type == PPROF_WIRE_VARINT &&
         (field->kind == WIRE_NUMBER || field->kind == WIRE_NUMBERS);
}

static bool
scan_message(struct scan *scan, const struct wire_schema *schema, size_t at,
             size_t end, unsigned depth)
{
  static const struct wire_field_schema unknown = {"unknown", WIRE_ANYTHING,
                                                   NULL};
  if (depth > MAX_DEPTH)
    return fault_at(scan, at, "messages are nested too deeply");
  if (!charge(scan, at, schema->decoded_bytes))
    return false;
  while (at < end) {
    size_t tag_at = at;
    uint64_t tag;
    if (!charge(scan, at, depth == 0 ? sizeof(struct wire_field) : 0) ||
        !scan_varint(scan, &at, end, &tag))
      return false;
    unsigned type = (unsigned)(tag & 7);
    uint64_t number = tag >> 3;
    if (number == 0 || tag > UINT32_MAX)
      return fault_at(scan, tag_at, "field number %llu in a %s",
                      (unsigned long long)number, schema->name);
    if (type != PPROF_WIRE_VARINT && type != PPROF_WIRE_BYTES &&
        type != PPROF_WIRE_64 && type != PPROF_WIRE_32)
      return fault_at(scan, tag_at, "wire type %u in a %s", type,
                      schema->name);
    const struct wire_field_schema *field =
        number < schema->field_count ? &schema->fields[number] : &unknown;
    if (!fits(field, type))
      return fault_at(scan, tag_at, "field %s of a %s has wire type %u",
                      field->name, schema->name, type);
    if (!scan_value(scan, field, type, &at, end, depth))
      return false;
  }
  return true;
}

bool
wire_scan(const struct wire_schema *schema, const uint8_t *data,
          size_t length, uint64_t decoded_limit, struct wire_fault *fault)
{
  struct scan scan = {data, 0, decoded_limit, fault};
  return scan_message(&scan, schema, 0, length, 0);
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
