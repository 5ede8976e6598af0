/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The wire format: a message is a run of fields; a field is a tag, a varint
 * of (number << 3 | wire type), and a value: a varint (type 0), eight bytes
 * (1), a length and that many bytes (2) or four bytes (5).  Length-delimited
 * values hold strings, messages, or repeated numbers without tags.
 *
 * One pass, linear in the input.  It recurses once for each level of the
 * schema, which is three deep, whatever the input says.
 */

#include "profile/wire_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum wire_type {
  WIRE_VARINT = 0,
  WIRE_64 = 1,
  WIRE_BYTES = 2,
  WIRE_32 = 5,
};

enum {
  MAX_DEPTH = 8,     /* more than any schema here needs */
  BLOCK_BYTES = 16,  /* what malloc adds to a block, about */
  MEMBER_BYTES = 64, /* protobuf-c's note on a field while it decodes */
};

struct scan {
  const uint8_t *data;
  uint32_t piecewise; /* top-level field whose messages come and go */
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

static bool
is_number(const ProtobufCFieldDescriptor *field)
{
  return field->type != PROTOBUF_C_TYPE_STRING &&
         field->type != PROTOBUF_C_TYPE_BYTES &&
         field->type != PROTOBUF_C_TYPE_MESSAGE;
}

static bool scan_message(struct scan *scan,
                         const ProtobufCMessageDescriptor *descriptor,
                         size_t at, size_t end, unsigned depth);

/* The length-delimited value from AT to END of FIELD (NULL: unknown). */
static bool
scan_bytes(struct scan *scan, const ProtobufCFieldDescriptor *field,
           size_t at, size_t end, unsigned depth)
{
  if (field == NULL)
    return charge(scan, at, BLOCK_BYTES + (uint64_t)(end - at));
  if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
    /* What its reader keeps of a piece is small; the chains it counts. */
    const ProtobufCMessageDescriptor *descriptor = field->descriptor;
    uint64_t kept = scan->decoded_bytes + descriptor->sizeof_message;
    bool good = scan_message(scan, descriptor, at, end, depth + 1);
    if (depth == 0 && field->id == scan->piecewise)
      scan->decoded_bytes = kept;
    return good;
  }
  if (is_number(field)) {
    uint64_t ignored;
    while (at < end)
      if (!charge(scan, at, sizeof(uint64_t)))
        return false;
      else if (scan->data[at] < 0x80)
        at++; /* nearly all are so short */
      else if (!scan_varint(scan, &at, end, &ignored))
        return false;
    return true;
  }
  const uint8_t *nul = memchr(scan->data + at, 0, end - at);
  if (nul != NULL)
    return fault_at(scan, (size_t)(nul - scan->data),
                    "a string holds a NUL character");
  return charge(scan, at,
                BLOCK_BYTES + sizeof(char *) + (uint64_t)(end - at) + 1);
}

/* The value at *AT of the wire type TYPE; moves *AT past it. */
static bool
scan_value(struct scan *scan, const ProtobufCFieldDescriptor *field,
           unsigned type, size_t *at, size_t end, unsigned depth)
{
  uint64_t number;
  if (type == WIRE_VARINT)
    return charge(scan, *at, sizeof(uint64_t)) &&
           scan_varint(scan, at, end, &number);
  if (type == WIRE_BYTES) {
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
  size_t width = type == WIRE_64 ? 8 : 4;
  if (end - *at < width)
    return fault_at(scan, end, "a number is cut short");
  *at += width;
  return charge(scan, *at, BLOCK_BYTES + width);
}

static bool
scan_message(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
             size_t at, size_t end, unsigned depth)
{
  if (depth > MAX_DEPTH)
    return fault_at(scan, at, "messages are nested too deeply");
  if (!charge(scan, at,
              BLOCK_BYTES + sizeof(void *) + descriptor->sizeof_message))
    return false;
  while (at < end) {
    size_t tag_at = at;
    uint64_t tag;
    if (!charge(scan, at, MEMBER_BYTES) || !scan_varint(scan, &at, end, &tag))
      return false;
    unsigned type = (unsigned)(tag & 7);
    if (tag >> 3 == 0 || tag > UINT32_MAX)
      return fault_at(scan, tag_at, "field number %llu in a %s",
                      (unsigned long long)(tag >> 3), descriptor->short_name);
    if (type != WIRE_VARINT && type != WIRE_BYTES && type != WIRE_64 &&
        type != WIRE_32)
      return fault_at(scan, tag_at, "wire type %u in a %s", type,
                      descriptor->short_name);
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(descriptor,
                                                (unsigned)(tag >> 3));
    bool fits = field == NULL || type == WIRE_BYTES
                    ? field == NULL || !is_number(field) ||
                          field->label == PROTOBUF_C_LABEL_REPEATED
                    : is_number(field) && type == WIRE_VARINT;
    if (!fits)
      return fault_at(scan, tag_at, "field %s of a %s has wire type %u",
                      field->name, descriptor->short_name, type);
    if (!scan_value(scan, field, type, &at, end, depth))
      return false;
  }
  return true;
}

bool
wire_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data,
          size_t length, uint32_t piecewise, uint64_t decoded_limit,
          struct wire_fault *fault)
{
  struct scan scan = {data, piecewise, 0, decoded_limit, fault};
  return scan_message(&scan, descriptor, 0, length, 0);
}

void
wire_read_field(const uint8_t *data, size_t *at, struct wire_field *field)
{
  uint64_t tag = wire_read_number(data, at);
  field->number = (uint32_t)(tag >> 3);
  field->bytes = NULL;
  field->size = 0;
  switch (tag & 7) {
  case WIRE_64:
  case WIRE_32:
    *at += (tag & 7) == WIRE_64 ? 8 : 4;
    break;
  case WIRE_BYTES:
    field->size = (size_t)wire_read_number(data, at);
    field->bytes = data + *at;
    *at += field->size;
    break;
  default:
    field->value = wire_read_number(data, at);
  }
}

const uint8_t *
wire_next(const uint8_t *data, size_t length, uint32_t field, size_t *at,
          size_t *size)
{
  struct wire_field found;
  while (*at < length) {
    wire_read_field(data, at, &found);
    if (found.number == field) {
      *size = found.size;
      return found.bytes;
    }
  }
  return NULL;
}

size_t
wire_copy_without(const uint8_t *data, size_t length, uint32_t field,
                  uint8_t *copy)
{
  size_t copied = 0;
  for (size_t at = 0; at < length;) {
    size_t from = at;
    struct wire_field found;
    wire_read_field(data, &at, &found);
    if (found.number != field) {
      memcpy(copy + copied, data + from, at - from);
      copied += at - from;
    }
  }
  return copied;
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
