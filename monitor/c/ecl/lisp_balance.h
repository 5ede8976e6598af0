/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_balance.h -- what the collector says of the time in which the objects
 * of ECL were counted: see lisp/balance/collector_balance.h.
 *
 * From the first request to the regular end of the process; else there is no
 * reconciliation.
 *
 * Threads.  What is on a thread's free lists in the end has not been
 * allocated.  It is added up when the thread leaves ECL.  A thread that comes
 * back goes on with these lists if it has not left the collector as well.
 */
#ifndef MPROF_LISP_BALANCE_H
#define MPROF_LISP_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lisp/balance/collector_balance.h"

struct lisp_thread;

/* The next request is the first one. */
void lisp_balance_begin(void);

/* The thread, which is this one, is counted from now on. */
void lisp_balance_join(struct lisp_thread *lisp);

/* This thread leaves ECL, is about to come back, or has done so: it is new to
 * the collector unless that has known it all the time. */
void lisp_balance_leave(void);
void lisp_balance_return(bool back);

/* The collector made a record of so many bytes for itself. */
void lisp_balance_record(uint64_t bytes);

/* An object was not counted: there is no reconciliation. */
void lisp_balance_invalidate(void);

/* Count no more, ask the collector, and note the reconciliation in the image,
 * if there is one.  With malloc_monitor_inside set. */
void lisp_balance_end(void);

void lisp_balance_forget(void);

#endif
