/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What became of a command line: how it ends, and the one line that is said
 * about it on standard error.  A result that scripts want to know, such as
 * growth beyond a limit or how a program ended, is no error.
 */

#ifndef MPROF_OUTCOME_H
#define MPROF_OUTCOME_H

#include "base/mprof_error.h"
#include "command/options.h"

struct outcome {
  enum command command; /* that was recognised, for a hint on usage */
  int status; /* of the exit: 0, or what the command found; after a failure
                 what there is for that one, or 0 */
  int signal; /* that ended the program that was run, or 0 */
  char remark[MPROF_ERROR_LENGTH]; /* on what was done, or "" */
  struct mprof_error error;        /* why it was not done */
};

/* The line; "" when there is nothing to say. */
static inline const char *
outcome_line(const struct outcome *outcome)
{
  return outcome->error.code == MPROF_OK ? outcome->remark
                                         : outcome->error.message;
}

#endif
