/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread.h -- what the monitor keeps for each thread of a C program:
 * its call chain, its name, and the region that it is in.
 *
 * All but threads_open may run inside the hook.  A record belongs to its
 * thread; when that ends, another thread gets it. */
#pragma once

#include <stdint.h>

#include "c/count/call_chain.h"
#include "c/count/monitor.h"
#include "c/count/stripes.h"
#include "tree/region_table.h"

/* A leaf that the thread has counted at, and what it is the leaf of. */
struct recent_leaf {
  uintptr_t site;            /* return address of the call; 0: no leaf */
  uint32_t up, size, region; /* context; leaf_size; number of region */
  uint32_t leaf;
  uint32_t cache_generation; /* of the thread then; if it differs, no leaf */
};

enum { RECENT_LEAF_BITS = 11 };

struct thread {
  struct stripe_user user;
  uint32_t label;            /* number of its name in threads.names */
  uint32_t cache_generation; /* how often thread_forget was called */
  uint64_t generation;       /* stripes.generation that all this is of */
  struct region_stack regions;
  struct thread *next; /* in threads.unused */
  struct call_chain chain;
  struct recent_leaf leaves[1 << RECENT_LEAF_BITS];
};

/* Returns the one place in thread->leaves for such a leaf; another leaf may
 * be there. */
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

/* ---- a jump out of the monitor ----
 *
 * A signal handler that interrupted the monitor, or the real allocator behind
 * it, may end in longjmp, pthread_exit or an exception, as handlers of
 * SIGABRT (after an invalid free) and SIGSEGV do.  The thread would be in the
 * monitor for ever: its allocations would not be counted, and others would
 * wait for its locks.  What was begun is completed or undone. */

/* Returns whether IP is in the code of this library. */
bool is_own_code(uintptr_t ip);

/* Returns true if the thread, which is in the monitor for two calls, jumped
 * out of the first one; then abandons that and sets this_thread.inside to 1.
 * `frame' is the ARCH_FRAME of the interposed function. */
bool thread_recover(const uintptr_t *frame);

/* Enters the monitor for a call of the program's from the function with that
 * ARCH_FRAME; the caller counts this_thread.inside down in any case.  Returns
 * false in the midst of another call, as in a handler of a signal: then the
 * caller must wait for no lock. */
static inline bool
thread_enter(const uintptr_t *frame)
{
  this_thread.inside++;
  return this_thread.inside == 1 || thread_recover(frame);
}

/* ---- all threads ---- */

/* Registers what ends the records of threads, and makes that of this one. */
void threads_open(void);

/* Makes this thread's record.  Returns NULL if there is no memory. */
struct thread *thread_make(void);

/* Returns the record of this thread; NULL without memory. */
static inline struct thread *
thread_mine(void)
{
  struct thread *mine = this_thread.record;
  return __builtin_expect(mine != NULL, 1) ? mine : thread_make();
}

/* Allocates unused records for COUNT threads, as far as there is memory. */
void threads_reserve(unsigned count);
