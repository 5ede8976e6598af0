/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The options of all commands, as a table: what is parsed, what --help
 * prints, and what the tests compare with the manual page.  A new option is a
 * field of struct options and a row.
 */

#ifndef MPROF_OPTION_TABLE_H
#define MPROF_OPTION_TABLE_H

#include "command/option_values.h"
#include "command/options.h"

struct option_row {
  unsigned commands;    /* that take it: bit i is enum command i */
  const char *name;     /* without dashes */
  const char *argument; /* what the value is called, NULL: takes none */
  const char *help;     /* the words follow where it ends in a blank */
  const struct value_kind *kind;
  size_t field; /* where it is stored: offset in struct options */
  size_t number;
  struct word_list words;
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct option_row option_rows[];

/* The row that COMMAND has for the first LENGTH bytes of NAME, or NULL. */
const struct option_row *option_find(const char *name, size_t length,
                                     enum command command);

#endif
