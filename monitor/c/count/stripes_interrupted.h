/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes_interrupted.h -- counts that the handler of a signal interrupted.
 *
 * Model.  The handler may copy the process in the midst of a count, or leave
 * it for good by longjmp.  Counts change their figures in an order by which
 * it can be told how far one came, and stripes_interrupt makes it whole, or
 * as if it had not begun.
 *
 * In handlers of signals, and where there is none, too; it takes no memory.
 */
#ifndef MPROF_STRIPES_INTERRUPTED_H
#define MPROF_STRIPES_INTERRUPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "c/count/stripes.h"

/* What stripes_interrupt changed. */
struct stripes_interrupted {
  uint32_t opened;                /* those that it opened */
  uint32_t current_leaf[STRIPES]; /* the leaf that each counts for */
  bool all;                       /* all were locked */
  struct stripe *stripe; /* in which it changed what follows; NULL: none */
  uint64_t allocated_count, freed_count;
  int64_t live;
};

/* This thread may have been interrupted in the midst of a count: make the
 * figures consistent, and open the stripes that it has, as others could wait
 * for them while it waits for theirs.  stripes_resume must follow if the
 * interrupted count is to go on. */
void stripes_interrupt(struct stripes_interrupted *state);
void stripes_resume(const struct stripes_interrupted *state);

#endif
