/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread.h -- what the monitor keeps for each thread of a C program:
 * its call chain, what it is called, and the region that it is in.
 *
 * May run inside the hook, in the monitor, but for
 * threads_open. */
#pragma once

#include <stdint.h>

#include "c/count/call_chain.h"
#include "c/count/monitor.h"
#include "c/count/stripes.h"
#include "tree/region_table.h"

/* A leaf that the thread has counted at, and what it is the leaf of. */
struct recent_leaf {
  uintptr_t site; /* 0: none */
  uint32_t up, size, region;
  uint32_t leaf;
  uint32_t cache_generation; /* as the thread's; else it is another one now */
};

enum { RECENT_LEAF_BITS = 11 };

struct thread {
  struct stripe_user user;
  uint32_t label;            /* number of its name */
  uint32_t cache_generation; /* how often thread_forget was called */
  uint64_t generation;       /* as stripes.generation at the last walk */
  struct region_stack regions;
  struct thread *next; /* in the list of those that nobody uses */
  struct call_chain chain;
  struct recent_leaf leaves[1 << RECENT_LEAF_BITS];
};

static inline struct recent_leaf *
thread_recent_leaf(struct thread *thread, uintptr_t site, uint32_t up,
                   uint32_t size)
{
  const uint64_t key = (site ^ (uint64_t)up << 32) + size * 0x9E3779B1u;
  return &thread->leaves[(key * UINT64_C(0x9E3779B97F4A7C15)) >>
                         (64 - RECENT_LEAF_BITS)];
}

/* Forgets the chain and all known leaves, for another generation. */
void thread_forget(struct thread *thread, uint64_t generation);

/* Completes or undoes what this thread had begun in the monitor, and opens
 * the locks that it has, as it left without a return. */
void thread_abandon(void);

/* ---- a jump out of the monitor ----
 *
 * A signal handler that interrupted the monitor, or the real allocator behind
 * it, may end in longjmp, pthread_exit or an exception, as handlers of
 * SIGABRT (after an invalid free) and SIGSEGV do.  The thread would be in the
 * monitor for ever: its allocations would not be counted, and others would
 * wait for its locks.  What was begun is completed or undone. */

/* Returns whether the thread, which is in the monitor for two calls, had left
 * it in the midst of the first one; then it is in it for the second one
 * alone. `frame' is the frame of the interposed function. */
bool thread_recover(const uintptr_t *frame);

/* Enters the monitor for a call of the program's from the function with that
 * frame.  Returns false where it is in the midst of another call, as in a
 * handler of a signal: then there are locks that it must not wait for. */
static inline bool
thread_enter(const uintptr_t *frame)
{
  this_thread.inside++;
  return this_thread.inside == 1 || thread_recover(frame);
}

/* ---- all threads ---- */

/* Find out when threads end from now on. */
void threads_open(void);

/* Make that of this thread; NULL when there is no memory. */
struct thread *thread_make(void);

/* Returns the record of this thread; NULL without memory. */
static inline struct thread *
thread_mine(void)
{
  struct thread *mine = this_thread.record;
  return __builtin_expect(mine != NULL, 1) ? mine : thread_make();
}

/* Allocates records for so many threads more, as far as there is memory. */
void threads_reserve(unsigned count);

/* Forgets all threads but this one, in the child of a fork, after
 * stripes_forked. */
void threads_forked(void);
