/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_state.h -- all that the hook touches, one for each Lisp thread.
 *
 * Its first member is the table of hooks that the runtime calls, so the
 * pointer that an allocator holds (env->allocation_hooks) is the pointer to
 * this.  The hook needs no thread-local variable.
 *
 * Fields are written by their own thread only.  Those marked (monitor) are
 * written by the thread that starts, stops or pauses, under the monitor's
 * lock and the protocol of `gate'. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "lisp/balance/requests.h"
#include "lisp/hook/last_objects.h"
#include "lisp/live/live_table.h"
#include "lisp/walk/stack_walk.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

/* What an allocation finds at the gate. */
enum gate {
  GATE_CLOSED = 0, /* not counting: the allocation is let through uncounted */
  GATE_OPEN,
  GATE_PAUSED  /* somebody changes the trees: wait, then count */
};

/* Headers at most that wait for their body. */
enum { WAITING_HEADERS = 8 };

struct thread_state {
  struct ecl_allocation_hooks hooks;

  /* The protocol of stopping.  The hook sets `inside', then reads `gate';
   * the monitor sets `gate', makes all processors see it (membarrier), then
   * waits for `inside' to be 0. */
  int inside; /* 1 while the thread is inside the hook, else 0 */
  int gate; /* (monitor) enum gate */

  /* The object that this thread has taken while it waits at a paused gate,
   * as the hook was told of it.  Written `present' last. */
  struct held_object {
    bool present;
    cl_index what, bytes;
  } held;

  /* Plain counters: what the tree must add up to. */
  uint64_t count; /* allocations */
  uint64_t bytes; /* requested */

  struct stack_walk walk;
  struct context_tree tree;
  struct region_stack regions;

  /* The last header: an object whose body may come. */
  struct counted_object {
    const void *object;
    struct leaf *leaf;
    uint64_t bytes;
    const void *body; /* first body, if a second one may come: an array has
                         its dimensions first, then its data; else NULL */
  } last;
  uint64_t last_count; /* `count' when `last' was counted */

  /* Headers whose body did not come next, for a signal handler ran before it.
   * The newest is at `waiting_next' - 1, modulo the length; an `object' of
   * NULL is none. */
  struct counted_object waiting[WAITING_HEADERS];
  unsigned waiting_next;

  struct last_objects last_objects; /* of this epoch and region */

  struct live_table live; /* where objects are followed */

  struct requests requests; /* those that do not follow from leaves */
  uint64_t records[2]; /* collector's records: finalizers, weak links */

  cl_env_ptr env; /* NULL: it has ended */
  pthread_t thread;
  char *name;                /* (monitor) as in profiles; from malloc */
  struct thread_state *next; /* (monitor) */
};
