/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects, lists and what is in them, as JSON or as Lisp: an object is a list
 * of keywords and values there, a key with a "_" a keyword with a "-", and
 * what is not known is null or nil.  With NULL for KEY, what is written is an
 * item of a list.  In CSV an object is a line, what is not known an empty
 * cell.
 */

#pragma once

#include "base/sink.h"
#include "tables/table.h"

struct writer {
  struct sink *sink;
  enum form form;
  bool first; /* nothing stands in the object or list in hand */
  /* the places of functions and types, to which others refer; without them
   * they go by their names */
  const uint32_t *places[TO_TYPES + 1];
};

/* Begin and end an object or a list; BRACKET is one of JSON's, an opening one
 * to begin, a closing one to end. */
void writer_begin(struct writer *writer, const char *key, char bracket);
void writer_end(struct writer *writer, char bracket);

/* Write a number; null unless it is KNOWN. */
void writer_number(struct writer *writer, const char *key, uint64_t number);
void writer_optional(struct writer *writer, const char *key, bool known,
                     uint64_t number);

/* Writes TEXT, which is not NULL, as a string. */
void writer_text(struct writer *writer, const char *key, const char *text);

/* Write the measures of COUNTS that VIEW knows, by keys that begin with
 * PREFIX. */
void writer_counts(struct writer *writer, const struct view *view,
                   const char *prefix, const uint64_t *counts);

/* Writes TABLE of VIEW as the list KEY of objects, a line each; in CSV,
 * below the headings.  In JSON something must stand before it in the object,
 * as it begins with a comma. */
void writer_table(struct writer *writer, const char *key,
                  const struct table *table, const struct view *view);

/* Writes the columns that identify TYPE into the object in hand: category,
 * type and class. */
void writer_type(struct writer *writer, const struct profile *profile,
                 uint32_t type);
