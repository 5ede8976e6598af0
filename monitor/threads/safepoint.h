/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * safepoint.h -- a moment in which no Lisp thread is in the middle of an
 * allocation.
 *
 * Why.  The collector gives out an object first, and then the hook counts it.
 * Who compares the two sums while a thread is in between finds that object
 * missing; a page of the collector's may be on its way as well.
 *
 * Model.  The gates of all threads are GATE_PAUSED and their hooks hang in
 * their environments: from then on a thread can take one object at most, for
 * then it waits in the hook, having left word of the object
 * (thread_state.held).  The runtime disables Lisp interrupts around every
 * allocation with its hook.  So a thread is *at rest* when its interrupts are
 * enabled, or when it waits in the hook.  Some things that are no allocation
 * are done with interrupts disabled too: those that end soon are waited for;
 * a thread that sleeps in the kernel in a system call that no allocation
 * makes (it reads from a terminal), or that waits for the monitor's own lock,
 * is at rest.
 *
 * A look at something that only allocations change is consistent if all
 * threads were at rest before and after, and none has come to wait in the
 * hook in the meantime.
 *
 * All functions: under the monitor's lock, not inside the hook, and without
 * allocating from the collector.
 */
#ifndef MPROF_SAFEPOINT_H
#define MPROF_SAFEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/thread_state.h"

/* A thread that will wait for the monitor's lock, on its own stack: link it
 * in before and take it out after, when the lock is held. */
struct safepoint_visitor {
  cl_env_ptr env;
  struct safepoint_visitor *next;
};
void safepoint_visit(struct safepoint_visitor *visitor, cl_env_ptr env);
void safepoint_visited(struct safepoint_visitor *visitor);

/* What the runtime's list of threads said. */
struct safepoint_roster {
  struct safepoint_thread {
    cl_env_ptr env;
    pthread_t thread;
  } * threads; /* those that have begun to run */
  size_t count, room;
  size_t to_come; /* listed, but no thread has been made for them */
};

/* Read the list, waiting for threads that are just being made.  False when
 * memory ran out.  `threads': all states. */
bool safepoint_list(struct safepoint_roster *roster,
                    const struct thread_state *threads);
void safepoint_roster_release(struct safepoint_roster *roster);

/* Wait until all `threads' but the one of `self' are at rest.  False when one
 * is not after a second. */
bool safepoint_wait(const struct thread_state *threads, cl_env_ptr self);

/* What the threads that wait in the hook have taken: how many objects, and
 * the bytes that the collector made of them. */
struct safepoint_held {
  size_t count;
  uint64_t rounded_bytes;
};
struct safepoint_held safepoint_held(const struct thread_state *threads);

#endif
