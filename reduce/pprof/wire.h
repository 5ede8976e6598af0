/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading protobuf: a look at the whole message first, which names the offset
 * of the first byte that is wrong and bounds the memory that decoding will
 * take, since two bytes of input can become a hundred bytes of structure;
 * then field by field, with nothing left to check.  Nothing is allocated.
 */

#ifndef MPROF_WIRE_H
#define MPROF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_fault {
  size_t offset;    /* of the first bad byte */
  char reason[160]; /* one line */
};

/* What a field holds. */
enum wire_kind {
  WIRE_ANYTHING, /* its number is not known */
  WIRE_NUMBER,
  WIRE_NUMBERS, /* repeated */
  WIRE_STRING,
  WIRE_MESSAGE
};

struct wire_schema;

struct wire_field_schema {
  const char *name;
  enum wire_kind kind;
  const struct wire_schema *message; /* of a WIRE_MESSAGE */
};

/* A kind of message. */
struct wire_schema {
  const char *name;
  size_t decoded_bytes; /* memory that one takes when it is decoded */
  bool piecewise; /* they are decoded one at a time: memory that parts of one
                     take is used again for the next */
  size_t field_count;
  const struct wire_field_schema *fields; /* by number */
};

/* Checks LENGTH bytes at DATA as one message of the kind SCHEMA, all of it,
 * messages within it too: tags, wire types, varints, lengths, strings without
 * NUL.  At most DECODED_LIMIT bytes may be needed to hold it.  On false FAULT
 * says what is wrong. */
bool wire_scan(const struct wire_schema *schema, const uint8_t *data,
               size_t length, uint64_t decoded_limit,
               struct wire_fault *fault);

/* The offset in a message that wire_scan accepts of the tag of the INDEX-th
 * occurrence (from zero) of the top-level field FIELD; LENGTH when there are
 * fewer. */
size_t wire_find(const uint8_t *data, size_t length, uint32_t field,
                 size_t index);

/* One field of such a message. */
struct wire_field {
  uint32_t number;
  uint64_t value;       /* of a number; else undefined */
  const uint8_t *bytes; /* of a length-delimited value, SIZE of them; else
                           NULL */
  size_t size;
};

/* Reads the field at *AT of such a message and moves *AT past it. */
void wire_read_field(const uint8_t *data, size_t *at,
                     struct wire_field *field);

/* Reads the varint at *AT of such data and moves *AT past it. */
static inline uint64_t
wire_read_number(const uint8_t *data, size_t *at)
{
  uint64_t byte = data[(*at)++];
  uint64_t value = byte & 0x7f;
  for (unsigned shift = 7; byte >= 0x80; shift += 7) {
    byte = data[(*at)++];
    value |= (byte & 0x7f) << shift;
  }
  return value;
}

#endif
