/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof diff: the tables, whatever they say; then whether growth is within
 * the limits, which is an outcome of its own and no failure.
 */

#include "command/run.h"

#include "diff/diff.h"

static void
emit_diff(const void *what, struct sink *sink)
{
  diff_write(what, sink);
}

bool
run_diff(const struct options *options, struct sink *sink,
         struct mprof_error *error)
{
  struct diff diff;
  bool good = diff_init(&diff, options, error) &&
              run_emit(options, sink, emit_diff, &diff, error) &&
              diff_within_limits(&diff, error);
  diff_release(&diff);
  return good;
}
