/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands of the program, as a table, and one command line from start to
 * end.  The command mprof and the library entry points of mprof.h are thin
 * clients of this.  A new command is an enum command, a row, its rows in
 * option_table.c and a function of run.h.
 */

#ifndef MPROF_COMMAND_H
#define MPROF_COMMAND_H

#include "base/sink.h"
#include "command/options.h"
#include "command/outcome.h"

struct command_row {
  enum command command;
  const char *name;
  const char *arguments; /* for the usage line; NULL: never listed */
  const char *help;      /* a few words */
  /* NULL: needs no options and no files. */
  bool (*run)(const struct options *options, struct sink *sink,
              struct outcome *outcome);
  const char *endings; /* of files that it writes, with a blank after each;
                          NULL: the format says */
  const char *writes;  /* what, and how such files are called */
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct command_row command_rows[];

/* The command called NAME; COMMAND_NONE when there is none. */
enum command command_find(const char *name);

/* The first row of COMMAND; the last row of all when it has none. */
const struct command_row *command_row(enum command command);

/* Runs COUNT ARGUMENTS (without the program's name), on OPEN unless that is
 * NULL, else on the files that they name; text goes to SINK, unless the
 * options name a file.  Fills OUTCOME and gives back the exit status: 0, 1,
 * 2, 3, or that of a program that was run.  SINK is flushed; when it fails
 * the status is 1, and the error is about the target called TARGET. */
int command_run(int count, const char *const *arguments,
                const struct open_profile *open, struct sink *sink,
                const char *target, struct outcome *outcome);

/* Makes OUTCOME that of a failure to write TARGET, with ERROR_NUMBER. */
void outcome_cannot_write(struct outcome *outcome, const char *target,
                          int error_number);

#endif
