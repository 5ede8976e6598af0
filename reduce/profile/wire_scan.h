/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A look at a protobuf message before it is decoded.
 *
 * protobuf-c says only that decoding failed.  This walks the encoded bytes
 * along the same descriptors and names the offset of the first byte that is
 * wrong; it also bounds the memory that decoding will take, since two bytes
 * of input can become a hundred bytes of structure.  Nothing is allocated.
 *
 * One field of the message may be decoded piece by piece instead of with the
 * rest: the samples of a profile, which are nearly all of it.
 */

#ifndef MPROF_WIRE_SCAN_H
#define MPROF_WIRE_SCAN_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_fault {
  size_t offset;    /* of the first bad byte */
  char reason[160]; /* one line */
};

/* Checks LENGTH bytes at DATA as one message of the kind DESCRIPTOR, all of
 * it, messages within it too: tags, wire types, varints, lengths, strings
 * without NUL.  At most DECODED_LIMIT bytes may be needed to hold it when the
 * messages of the top-level field PIECEWISE (0: none) are decoded one by
 * one.  On false FAULT says what is wrong. */
bool wire_scan(const ProtobufCMessageDescriptor *descriptor,
               const uint8_t *data, size_t length, uint32_t piecewise,
               uint64_t decoded_limit, struct wire_fault *fault);

/* In a message that wire_scan accepts: the next occurrence of the top-level
 * field FIELD, which is length-delimited, from offset *AT on.  Moves *AT past
 * it and gives back its value, *SIZE bytes in DATA; NULL at the end. */
const uint8_t *wire_next(const uint8_t *data, size_t length, uint32_t field,
                         size_t *at, size_t *size);

/* Copies such a message to COPY, which has LENGTH bytes, without the
 * occurrences of the top-level field FIELD.  The number of bytes copied. */
size_t wire_copy_without(const uint8_t *data, size_t length, uint32_t field,
                         uint8_t *copy);

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
