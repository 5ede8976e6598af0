/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The forms of output.  With keys: objects, lists and what is in them, as
 * JSON or as Lisp: an object is a list of keywords and values there, a key
 * with a "_" a keyword with a "-", and what is not known is null or nil.  In
 * CSV an object is a line, what is not known an empty cell.  As text: cells
 * of a text table.
 */

#pragma once

#include "analysis/view.h"
#include "tables/text_table.h"

enum form {
  FORM_JSON,
  FORM_LISP,
  FORM_CSV,
  KEYED_FORMS,
  FORM_TEXT = KEYED_FORMS
};

/* Units of a number in the text; times are stored in nanoseconds. */
enum unit { UNIT_COUNT, UNIT_SECONDS, UNIT_TIME };

/* Things that a cell can refer to. */
enum target {
  TO_FUNCTIONS, /* nodes of the graph */
  TO_TYPES,     /* types of the profile */
  TO_CYCLES,
  TO_CONTEXTS /* nodes of the tree of chains */
};

struct table;

struct writer {
  const struct view *view;
  enum form form;
  struct sink *sink; /* with keys */
  bool first;        /* nothing stands in the object or list in hand */
  /* the places of functions and types, to which others refer; without them
   * they go by their names */
  const uint32_t *places[TO_TYPES + 1];
  struct text_table *text; /* of FORM_TEXT */

  /* Of the next cell. */
  const char *key; /* NULL: it is an item of a list */
  enum unit unit;
};

/* Returns WRITER, which writes the next cell, object or list under KEY. */
static inline struct writer *
at(struct writer *writer, const char *key)
{
  writer->key = key;
  return writer;
}

/* Begin and end an object or a list; BRACKET is one of JSON's, an opening one
 * to begin, a closing one to end. */
void writer_begin(struct writer *writer, char bracket);
void writer_end(struct writer *writer, char bracket);

/* Write the measures of COUNTS that the view knows, by keys that begin with
 * PREFIX. */
void writer_counts(struct writer *writer, const char *prefix,
                   const uint64_t *counts);

/* Writes TABLE as a list of objects, a line each; in CSV, below the headings.
 * In JSON something must stand before it in the object, as it begins with a
 * comma. */
void writer_table(struct writer *writer, const struct table *table);

/* ---- cells, in any form ---- */

/* Write a number; a number, unknown unless it is KNOWN; calls, which may be
 * CALLS_UNKNOWN; BYTES divided by COUNT, to the nearest, halves upward,
 * unknown if COUNT is 0 or CALLS_UNKNOWN. */
void put_number(struct writer *writer, uint64_t number);
void put_optional(struct writer *writer, bool known, uint64_t number);
void put_calls(struct writer *writer, uint64_t calls);
void put_average(struct writer *writer, uint64_t bytes, uint64_t count);

/* Write TEXT, which is not NULL, as it is; a text, unknown if it is NULL or,
 * with keys, empty; a text that is a keyword in Lisp. */
void put_string(struct writer *writer, const char *text);
void put_text(struct writer *writer, const char *text);
void put_keyword(struct writer *writer, const char *text);

/* Writes a reference to ITEM of TARGET. */
void put_reference(struct writer *writer, enum target target, uint64_t item);

/* Write, with keys, what identifies TYPE, three cells or pairs of a key and a
 * cell: category, type and class; the object of a part of that type, with its
 * allocations and bytes, in CSV without; a list of COUNT PARTS. */
void put_type(struct writer *writer, uint32_t type);
void put_part(struct writer *writer, uint32_t type, uint64_t allocs,
              uint64_t bytes);
void put_parts(struct writer *writer, const struct type_part *parts,
               size_t count);

/* Write lists of COUNT numbers, or of as many references to functions. */
void put_numbers(struct writer *writer, const uint64_t *numbers,
                 size_t count);
void put_functions(struct writer *writer, const uint32_t *nodes,
                   size_t count);
