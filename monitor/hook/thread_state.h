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

#include "tree/arena.h"
#include "hook/classify.h"
#include "code/code_index.h"
#include "tree/context_tree.h"
#include "foreign_frame.h"
#include "known_leaf.h"
#include "known_walk.h"
#include "marker_stack.h"
#include "tree/region_table.h"

/* What an allocation finds at the gate. */
enum gate {
  GATE_CLOSED, /* not counting: the allocation is let through uncounted */
  GATE_OPEN,
  GATE_PAUSED  /* somebody changes the trees: wait, then count */
};

/* Headers at most that wait for their body. */
enum { WAITING_HEADERS = 8 };

/* A frame that the walk has met. */
struct walked_frame {
  uint64_t site;
  uintptr_t *slot;
  enum code_kind kind; /* of the place where its function made its call */
  uint32_t run;        /* so many frames, this one and those inward, have the
                          same site and kind, and only their slots are written
                          (plain walks of leaf_lookup.c) */
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

  /* What is known from before. */
  struct known_leaf *known_leaves;
  struct known_walk *known_walks;

  /* The last header (an object whose body may come), and the number of
   * allocations when it was counted. */
  struct counted_object {
    const void *object;
    struct leaf *leaf;
    uint64_t bytes;
  } last;
  uint64_t last_count;

  /* Headers whose body did not come next, for a signal handler ran before it;
   * the newest at `waiting_next' - 1, NULL: none. */
  struct counted_object waiting[WAITING_HEADERS];
  unsigned waiting_next;

  /* The last object, if it was a function's first or came after that
   * (first_object.h), and its frame is not marked: if the next one comes after
   * the first in the frame with this slot, it is the same frame. */
  struct told_frame {
    const uintptr_t *slot;
    uint64_t count; /* of allocations, with that object */
    uint32_t up;    /* context of the call that made the frame */
  } told;

  struct region_stack regions; /* what is in known_leaves and known_walks was
                                  found in this one */
  struct context_tree tree;
  struct marker_stack markers;
  struct arena leaves_arena, walks_arena;
  struct call_paths paths;
  uint64_t uncounted;        /* nobody reads it: see struct known_frame */
  struct foreign_rule *foreign_rules;
  struct arena foreign_arena;
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
  uint64_t truncated_walks; /* that did not reach the stack's beginning */
  uint64_t unmarked_walks;  /* that found no room for all their marks */
  uint64_t finalizer_walks; /* that ended where the collector ran one */
  char *label;          /* (monitor) from malloc; NULL when memory ran out */
  uint64_t serial;      /* (monitor) order in which threads were met */
  struct thread_state *next; /* (monitor) */
};

/* An object is about to be counted. */
static inline void
thread_state_tell(struct thread_state *thread, const uintptr_t *slot,
                  uint32_t up)
{
  thread->told = (struct told_frame){ slot, thread->count + 1, up };
}

static inline void
thread_state_forget_objects(struct thread_state *thread)
{
  thread->told.slot = NULL;
  thread->last.object = NULL;
  memset(thread->waiting, 0, sizeof thread->waiting);
}

/* Leaves are others now: the thread is in another region. */
static inline void
thread_state_forget_leaves(struct thread_state *thread)
{
  for (size_t i = 0; i < KNOWN_LEAVES; i++)
    thread->known_leaves[i].site = 0;
  for (size_t i = 0; i < KNOWN_WALKS; i++)
    thread->known_walks[i].site = 0;
}

/* The walks that were remembered led to contexts that are no longer those of
 * the tree, or the code at their addresses is another. */
static inline void
thread_state_forget_calls(struct thread_state *thread)
{
  thread_state_forget_leaves(thread);
  foreign_frame_forget(thread->foreign_rules);
}

#endif
