/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Protobuf messages.
 *
 * They are read field by field, with nothing left to check: scan.c has seen
 * the whole.
 *
 * To write: a message is collected in a buffer, which its owner hands on as a
 * field of the message around it, or to a sink.  Numbers that are zero are
 * not written, as proto3 has it.
 */

#ifndef MPROF_WIRE_H
#define MPROF_WIRE_H

#include "base/array.h"
#include "base/sink.h"

#include <stddef.h>
#include <stdint.h>

/* ---- reading ---- */

/* What a field holds. */
enum wire_kind {
  WIRE_ANYTHING, /* its number is not known */
  WIRE_NUMBER,
  WIRE_TEXT,    /* the number of a string in a table */
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
  size_t field_count;
  const struct wire_field_schema *fields; /* by number */
};

/* One field of a message. */
struct wire_field {
  uint32_t number;
  size_t at;            /* offset of its tag in the message */
  uint64_t value;       /* of a number; else undefined */
  const uint8_t *bytes; /* of a length-delimited value, SIZE of them; else
                           NULL */
  size_t size;
};

/* Reads the field at *AT of a message and moves *AT past it. */
void wire_read_field(const uint8_t *data, size_t *at,
                     struct wire_field *field);

/* Reads the varint at *AT and moves *AT past it. */
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

/* Appends the numbers of FIELD, one or a packed run of them, to NUMBERS. */
void wire_read_numbers(const struct wire_field *field,
                       struct numbers *numbers);

/* ---- writing ---- */

struct wire_buffer { /* all zero: empty */
  uint8_t *bytes;
  size_t count, capacity;
};

/* Append the field FIELD: a number, unless it is zero; COUNT bytes; COUNT
 * numbers as one packed run, unless there are none; the message MESSAGE,
 * which becomes empty. */
void wire_put_number(struct wire_buffer *buffer, uint32_t field,
                     uint64_t number);
void wire_put_bytes(struct wire_buffer *buffer, uint32_t field,
                    const void *bytes, size_t count);
void wire_put_packed(struct wire_buffer *buffer, uint32_t field,
                     const uint64_t *numbers, size_t count);
void wire_put_message(struct wire_buffer *buffer, uint32_t field,
                      struct wire_buffer *message);

/* Writes what BUFFER holds to SINK; then it is empty. */
void wire_send(struct wire_buffer *buffer, struct sink *sink);

#endif
