/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One command line from start to end.  The command mprof and the library
 * entry points of mprof.h are thin clients of this.
 */

#ifndef MPROF_COMMAND_H
#define MPROF_COMMAND_H

#include "command/options.h"
#include "base/mprof_error.h"
#include "base/sink.h"

/* Runs COUNT ARGUMENTS (without the program's name), on OPEN unless that is
 * NULL, else on the files that they name; text goes to SINK, unless the
 * options name a file.  *COMMAND gets the command that was recognised, for a
 * hint on usage.  Gives back the exit status: 0, 1, 2, 3, or that of a
 * program that was run; unless 0, ERROR says why.  SINK is flushed; when it
 * fails the status is 1, and the error is about the target called TARGET. */
int command_run(int count, const char *const *arguments,
                const struct open_profile *open, struct sink *sink,
                const char *target, enum command *command,
                struct mprof_error *error);

#endif
