/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * command_output.h -- what a command says, as strings.
 */
#pragma once

#include "mprof.h"

#include "base/pool.h"
#include <string.h>

/* Runs the command line ARGUMENTS.  *OUTPUT and *ERROR are of the pool in use; each
 * may be NULL. */
static inline int
mprof_command(const char *arguments, char **output, char **error)
{
  void *result = mprof_run_command(arguments);
  const int status = mprof_result_status(result);
  if (output != NULL)
    *output = pool_text(mprof_result_output(result));
  if (error != NULL)
    *error = pool_text(mprof_result_error(result));
  mprof_result_free(result);
  return status;
}
