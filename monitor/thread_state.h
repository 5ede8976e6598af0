/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_state.h -- all that the hook touches, one for each Lisp thread.
 *
 * Its first member is the table of hooks that the runtime calls, so the
 * pointer that an allocator holds (env->allocation_hooks) is the pointer to
 * this.  The hook needs no thread-local variable.
 *
 * Fields are written by their own thread only, but for those marked
 * (monitor): written by the thread that starts, stops or pauses, under the
 * monitor's lock and the protocol of `gate'.
 */
#ifndef MPROF_THREAD_STATE_H
#define MPROF_THREAD_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <ecl/ecl.h>

#include "arena.h"
#include "classify.h"
#include "context_tree.h"
#include "marker_stack.h"

/* What an allocation finds at the gate. */
enum gate {
  GATE_CLOSED, /* not counting: the allocation is let through uncounted */
  GATE_OPEN,
  GATE_PAUSED  /* somebody changes the trees: wait, then count */
};

/* New frames at most that the short walk handles (see hook.c). */
enum { SHORT_WALK = 6 };

/* Headers at most that wait for their body. */
enum { WAITING_HEADERS = 8 };

/* A frame that the walk has met. */
struct walked_frame {
  uint64_t site;
  uintptr_t *slot;
};

struct thread_state {
  struct ecl_allocation_hooks hooks;

  /* The protocol of stopping.  The hook sets `inside', then reads `gate';
   * the monitor sets `gate', makes all processors see it (membarrier), then
   * waits for `inside' to be 0. */
  int inside;
  int gate;             /* (monitor) enum gate */

  /* The object that this thread has taken while it waits at a paused gate,
   * as the hook was told of it.  Written `present' last. */
  struct held_object {
    bool present;
    cl_index what, bytes;
  } held;

  /* Plain counters: what the tree must add up to. */
  uint64_t count;       /* allocations */
  uint64_t bytes;       /* requested */

  /* The last allocation: nothing but counters changes while this repeats. */
  uintptr_t last_site;  /* return address into the allocating function */
  uintptr_t *last_slot; /* of that function's frame, or NULL */
  cl_index last_what;
  cl_index last_bytes;
  cl_object last_class;
  struct leaf *last_leaf;

  /* The contexts of the last calls that the short walk has met, by their
   * distance from the allocation. */
  struct known_call {
    uint64_t site;      /* 0: none */
    uint32_t parent;
    uint32_t number;    /* the context of a call at `site' under `parent' */
    uint32_t target;
  } calls[SHORT_WALK];

  /* The last short walk that met one new frame: when the next allocation
   * finds the same addresses in the same places, and the mark below, it is
   * another activation of the same function in the same context. */
  struct repeated_call {
    uintptr_t frame;    /* of the allocating function; 0: none */
    uintptr_t links[4]; /* what it, and a dispatching frame below, hold */
    uintptr_t *outer;   /* slot of the marked frame */
    uint32_t outer_up, up;
    bool dispatched;    /* there is a dispatching frame */
  } repeat;

  /* The last object, for a body that comes right after its header. */
  struct counted_object {
    void *object;
    struct leaf *leaf;
    uint64_t bytes;
  } last;

  /* Headers whose body did not come next, for a signal handler ran before it;
   * the newest at `waiting_next' - 1, NULL: none. */
  struct counted_object waiting[WAITING_HEADERS];
  unsigned waiting_next;

  struct context_tree tree;
  struct marker_stack markers;
  struct walked_frame *walk; /* scratch of stack_walk */
  size_t walk_limit;
  struct arena walk_arena;

  uint64_t granules[CLASSIFY_GRANULES]; /* requests of each rounded size */
  uint64_t large_bytes; /* larger ones, rounded to granules */
  uint64_t records[2];  /* of the collector: for finalizers, for weak links */

  cl_env_ptr env;
  pthread_t thread;
  uintptr_t stack_base; /* frames at or above it are not ours */
  bool markers_allowed;
  bool stale;           /* (monitor) counts of an earlier run: start over */
  uint64_t truncated_walks; /* that did not reach the beginning of the stack */
  uint64_t unmarked_walks;  /* that found no room for all their marks */
  uint64_t finalizer_walks; /* that ended where the collector ran one */
  char *label;          /* (monitor) from malloc; NULL when memory ran out */
  uint64_t serial;      /* (monitor) order in which threads were met */
  struct thread_state *next; /* (monitor) */
};

static inline void
thread_state_forget_objects(struct thread_state *thread)
{
  thread->last.object = NULL;
  memset(thread->waiting, 0, sizeof thread->waiting);
}

/* The contexts that were remembered are no longer those of the tree, or the
 * code at their addresses is another. */
static inline void
thread_state_forget_calls(struct thread_state *thread)
{
  memset(thread->calls, 0, sizeof thread->calls);
  thread->repeat.frame = 0;
  thread->last_slot = NULL;
}

#endif
