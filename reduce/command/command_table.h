/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands of the program, as a table.  A new command is an enum command,
 * a row here, its rows in option_table.c and a function of run.h.
 */

#ifndef MPROF_COMMAND_TABLE_H
#define MPROF_COMMAND_TABLE_H

#include "command/options.h"
#include "base/mprof_error.h"
#include "base/sink.h"

struct command_row {
  enum command command;
  const char *name;
  const char *arguments; /* for the usage line; NULL: never listed */
  const char *help;      /* a few words */
  /* NULL: needs no options and no files. */
  bool (*run)(const struct options *options, struct sink *sink,
              struct mprof_error *error);
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct command_row command_rows[];

/* The command called NAME; COMMAND_NONE when there is none. */
enum command command_find(const char *name);

/* The first row of COMMAND; the last row of all when it has none. */
const struct command_row *command_row(enum command command);

#endif
