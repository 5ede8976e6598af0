/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_monitor.h -- counts what a C program allocates and frees.
 *
 * Model.  Each allocation has a path: the calls that are active, from the
 * first function of the thread to the one that called the allocator.  All
 * threads share one context tree; a leaf is a path with the size of the
 * objects, the name of the thread and the region that it was in.  Beside each
 * leaf stands what became of its objects: how many were freed, how many of
 * them before the next allocations, and how many were live when most bytes
 * were.
 *
 * Exactness.  One lock makes one order of all events, so that the most bytes
 * that were ever live is a moment of the program, and not a sum of moments.
 * The walk of the stack, which takes longest, is done outside it.
 *
 * Re-entry.  What runs while a thread is in here, or in the real allocator on
 * behalf of a call that is counted, is not counted: neither mprof's own work
 * nor what an allocator does inside.
 *
 * The functions below are the hook.  They keep errno, and take memory from
 * the kernel alone.
 */
#ifndef MPROF_MALLOC_MONITOR_H
#define MPROF_MALLOC_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"
#include "malloc/spin_lock.h"

/* What became of the objects of a leaf, in one cache line. */
struct leaf_life {
  uint64_t count, bytes; /* allocated; the leaf's own are set when the profile
                            is written */
  uint64_t freed_count, freed_bytes;
  uint64_t temporary_count;        /* freed before the next allocations */
  uint64_t peak_count, peak_bytes; /* live at the peak, if `peak' says so */
  uint64_t peak;                   /* the number of the peak that they are of:
                                      else what is live now is */
};

_Static_assert(sizeof(struct leaf_life) == 64, "a cache line");

/* How many allocations may come between that of an object and its end for it
 * to be temporary. */
enum { TEMPORARY_MOST = 64 };

/* What every event changes comes first, in one cache line. */
struct malloc_monitor {
  _Alignas(64) struct spin_lock lock; /* guards all that follows */
  bool ready;                         /* the tree is there */
  uint16_t epoch;        /* of the figures; another one after a reset */
  uint64_t count, bytes; /* allocated */
  uint64_t freed_count, freed_bytes;
  uint64_t peak_bytes, peak; /* most bytes live; how often that rose */
  uint64_t save_at;          /* write the profile at so many allocations */
  unsigned recent_count, recent_at; /* so many of them are looked at */
  uintptr_t recent[TEMPORARY_MOST]; /* the last allocations, in a circle */
  _Alignas(64) struct leaf_life *lives; /* by number of the leaf */
  uint64_t unloads;                     /* how often code went away */
  uint64_t truncated_walks;
  uint64_t lost_objects; /* for which there was no memory */
  struct context_tree tree;
  struct arena life_arena;
};

extern struct malloc_monitor malloc_monitor;

/* Whether allocations are counted now.  Any thread may look at it. */
extern int malloc_monitor_counting;

/* This thread is in the monitor, or in the real allocator for it. */
extern __thread int malloc_monitor_inside
    __attribute__((tls_model("initial-exec")));

/* What an object is known by until it is freed. */
struct counted {
  uint32_t leaf; /* 0: it was not counted */
  uint16_t epoch;
};

/* The program is given an object of `bytes' at `address'; `frame' is the
 * frame of the interposed function.  Does nothing when allocations are not
 * counted. */
struct counted malloc_monitor_allocated(uintptr_t address, size_t bytes,
                                        const uintptr_t *frame);

/* An object that was counted is freed: gives back its place among the recent
 * allocations, 0 for none; or it was not freed after all. */
unsigned malloc_monitor_freed(uintptr_t address, uint32_t leaf,
                              uint16_t epoch, size_t bytes);
void malloc_monitor_not_freed(uintptr_t address, uint32_t leaf,
                              uint16_t epoch, size_t bytes, unsigned recent);

/* Give the leaves of the tree their counts.  Under the lock. */
void malloc_monitor_settle(struct malloc_monitor *m);

/* The epoch of now. */
static inline uint16_t
malloc_monitor_epoch(void)
{
  return __atomic_load_n(&malloc_monitor.epoch, __ATOMIC_ACQUIRE);
}

#endif
