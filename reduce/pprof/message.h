/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format, decoded one field after the other, at any place
 * of a file.  All bounds are checked, and what is wrong fails with its offset
 * in the file.
 */

#ifndef MPROF_MESSAGE_H
#define MPROF_MESSAGE_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reading;

/* What a field holds. */
enum wire_kind {
  WIRE_ANYTHING, /* its number is not known */
  WIRE_NUMBER,
  WIRE_TEXT,    /* the number of a string in a table */
  WIRE_NUMBERS, /* repeated */
  WIRE_STRING,
  WIRE_MESSAGE
};

/* A kind of message, and its fields by number. */
struct wire_schema {
  const char *name;
  size_t field_count;
  const struct wire_field_schema {
    const char *name;
    enum wire_kind kind;
    const struct wire_schema *message; /* of a WIRE_MESSAGE */
  } * fields;
};

extern const struct wire_schema profile_schema, value_type_schema,
    sample_schema, label_schema, location_schema, line_schema;

/* One field of a message. */
struct wire_field {
  uint32_t number;
  enum wire_kind kind;
  size_t at;            /* offset of its tag in the file */
  uint64_t value;       /* of a number; else undefined */
  const uint8_t *bytes; /* of a length-delimited value, SIZE of them; else
                           NULL */
  size_t size;
};

/* A walk over the fields of a message. */
struct wire_walk {
  const struct reading *reading;
  const struct wire_schema *schema;
  size_t at, end; /* offsets in the file */
};

/* Returns a walk over MESSAGE, of the kind SCHEMA; NULL: the whole file. */
struct wire_walk wire_walk(const struct reading *reading,
                           const struct wire_schema *schema,
                           const struct wire_field *message);

/* Reads the next field of WALK.  Returns false at the end. */
bool wire_next(struct wire_walk *walk, struct wire_field *field);

/* Appends the numbers of FIELD, one or a packed run of them, to NUMBERS. */
void wire_read_numbers(const struct reading *reading,
                       const struct wire_field *field,
                       struct numbers *numbers);

/* Puts the numbers of MESSAGE, a field of the kind SCHEMA, into VALUES, by
 * field; the last of each counts, as protobuf has it.  Texts become name ids.
 * Returns false if one refers to a missing string. */
bool wire_read_message(const struct reading *reading,
                       const struct wire_schema *schema,
                       const struct wire_field *message, uint64_t *values);

/* Checks the whole FIELD, of a message of the kind SCHEMA, with all messages
 * in it, which are three deep, whatever the input says. */
void wire_check(const struct reading *reading,
                const struct wire_schema *schema,
                const struct wire_field *field);

#endif
