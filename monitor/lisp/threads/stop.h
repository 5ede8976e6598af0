/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stop.h -- stop all threads without a lock in the hook, at a moment that is
 * settled with the collector.
 *
 * Out of the hook.  Each thread has a gate.  The hook stores `inside', then
 * loads `gate'; the monitor stores `gate', asks the kernel for a barrier on
 * all processors that run this process (membarrier), then loads `inside'.  So
 * either the hook sees the gate shut or the monitor sees the thread inside,
 * and waits.  The hook pays for two plain stores and a load, and no fence.
 *
 * At rest.  The collector gives out an object first, and then the hook counts
 * it.  A comparison of the two sums while a thread is in between misses that
 * object; a page of the collector's may be on its way as well.  But
 * the runtime disables Lisp interrupts around every allocation with its hook:
 * a thread stores 1, takes the object, then loads the pointer to its hooks.
 * The monitor stores that pointer, asks for the barrier, then loads the flag.
 * So either the monitor sees the flag or the thread sees the hooks, and then
 * it can take one object at most before it waits at its gate, having left
 * word of the object (thread_state.held).
 *
 * The collector runs finalizers in the middle of an allocation, and these
 * enable interrupts; afterwards they are as they were.  Nothing has been
 * taken by then, but for an instance, which is two requests: the runtime
 * counts those that have a header and no slots yet (instances_begun).
 *
 * So a thread is at rest when its interrupts are enabled, or when it waits at
 * its gate.  Some things that are no allocation are done with interrupts
 * disabled too.  Those that end soon are waited for; a thread that waits for
 * the monitor's lock, or sleeps in the kernel in a system call that no
 * allocation makes (it reads from a terminal), is at rest.
 *
 * A look at what only allocations change is consistent if all threads were at
 * rest before and after, and none has come to wait at its gate meanwhile.
 *
 * Settled.  The time that is counted is a row of runs, each from the opening
 * of the gates to their next pause.  At both ends the collector is asked what
 * it has given out; the difference is added to the sum that the
 * reconciliation compares with the hook's own.
 *
 * All functions: under the monitor's lock, not inside the hook.  stop_threads
 * and start_threads also in a thread that has no hooks now; they allocate
 * from the collector what collector_balance.h says. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lisp/hook/thread_state.h"

/* Registers the process for barriers.  Returns false if the kernel has none.
 */
bool stop_init(void);

/* Makes all processors that run this process see what was stored before. */
void stop_barrier(void);

/* Sets the gates of all threads, except that GATE_PAUSED leaves the calling
 * thread's: before a fork it may have to allocate in another library's
 * handler.  GATE_OPEN: threads see what was stored before.  Else waits until
 * every other thread is outside the hook, however long that takes. */
void stop_set_gates(enum gate gate);

/* The system call in which a thread sleeps, from /proc. */
struct system_call {
  long number;
  uint64_t argument;      /* the first */
  uint64_t stack_pointer; /* of the thread */
};

/* Sets *CALL to the call of the thread.  Returns false if it runs, or if that
 * is not known.  Takes no lock and no memory, so that it can be called
 * wherever other threads are stopped. */
bool system_call_of(pthread_t thread, struct system_call *call);

/* Finds all threads, settles with the collector (monitor.at_start), and opens
 * the gates.  Returns false if memory ran out before all threads were found;
 * then the gates are closed unless the monitor is running. */
bool start_threads(void);

/* Pauses all other threads, settles with the collector, and adds what it gave
 * out in this run to monitor.collector.  The gates stay paused until
 * start_threads or stop_set_gates.  If a thread is not at rest after a
 * second, goes on all the same, and the doubts have BALANCE_REST. */
void stop_threads(void);

/* Settles with the collector at the beginning of a run, in the child of a
 * fork, which has one thread; leaves its gate. */
void stop_begin_forked(void);
