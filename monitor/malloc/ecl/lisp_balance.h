/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_balance.h -- what the collector says of the time in which the objects
 * of ECL were counted: see balance/collector_balance.h.
 *
 * From the first request to the regular end of the process; else there is no
 * reconciliation.
 */
#ifndef MPROF_LISP_BALANCE_H
#define MPROF_LISP_BALANCE_H

#include <stdbool.h>

#include "balance/collector_balance.h"
#include "malloc/ecl/lisp_heap.h"

struct lisp_balance {
  bool begun, ended;
  bool broken;                     /* something was not counted */
  struct collector_balance before, after;
  uint64_t own_bytes;              /* see collector_balance */
  int64_t ended_list_bytes;        /* of threads that are gone */
  unsigned threads;                /* that lived at the end */
};

extern struct lisp_balance lisp_balance HIDDEN;

/* The next request is the first one. */
void lisp_balance_begin(void);

/* The thread, which is this one, is counted from now on. */
void lisp_balance_join(struct lisp_thread *lisp);

/* Count no more, and ask the collector. */
void lisp_balance_end(void);

void lisp_balance_forget(void);

#endif
