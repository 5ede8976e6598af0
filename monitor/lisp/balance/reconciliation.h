/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reconciliation.h -- how what was counted agrees with the collector's sum.
 *
 * The collector counts what its free lists gave away, with its rounding; we
 * count requests.  So each request is rounded as the collector does, and what
 * it made for itself is added (records of finalizers, weak links and threads;
 * tables of these links):
 *
 *     residual = collector's bytes - rounded bytes - bytes of its records
 *
 * It is 0 but for what a note names.
 */
#ifndef MPROF_RECONCILIATION_H
#define MPROF_RECONCILIATION_H

#include <stdint.h>

#include "image/note_list.h"
#include "lisp/balance/collector_balance.h"

struct reconciliation {
  uint64_t rounded; /* bytes of all requests, as the collector rounds them */
  uint64_t records; /* of what it made for itself */
  uint64_t collector; /* that it has given out */
  /* What a residual can be made of: */
  unsigned causes; /* sum of enum balance_doubt */
  unsigned imported_threads, uncounted_threads;
};

/* Note the figures, and what applies if there is a residual. */
void reconciliation_note(struct note_list *notes,
                         const struct reconciliation *r);

#endif
