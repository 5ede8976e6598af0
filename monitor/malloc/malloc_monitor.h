/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_monitor.h -- counts what a C program allocates and frees.
 *
 * Model.  Each allocation has a path: the calls that are active, from the
 * first function of the thread to the one that called the allocator.  All
 * threads share one context tree; a leaf is a path with the size of the
 * objects, the name of the thread and the region that it was in.  What became
 * of its objects is counted beside the tree, by each thread for itself:
 * stripes.h, where it is also said how figures of one moment come of it.
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

#include "code/function_numbers.h"
#include "tree/context_tree.h"
#include "tree/spin_lock.h"
#include "malloc/stripes.h"

struct malloc_monitor {
  struct spin_lock lock; /* of the tree, and of the regions */
  bool ready;            /* the tree is there */
  uint64_t truncated_walks;
  uint64_t lost_objects; /* for which there was no memory */
  struct context_tree tree;
  struct function_numbers functions; /* that are in it */
};

extern struct malloc_monitor malloc_monitor HIDDEN;

/* Whether allocations are counted now.  Any thread may look at it. */
extern int malloc_monitor_counting HIDDEN;

/* This thread is in the monitor, or in the real allocator for it. */
extern __thread int malloc_monitor_inside HIDDEN_THREAD;

/* What an object is known by until it is freed. */
struct counted {
  owned_leaf leaf;
  uint16_t epoch; /* of the figures that it is in */
};

/* The program is given an object of `bytes' at `address'; `frame' is the
 * frame of the interposed function.  Does nothing when allocations are not
 * counted. */
struct counted malloc_monitor_allocated(uintptr_t address, size_t bytes,
                                        const uintptr_t *frame);

/* An object that was counted is freed: gives back its place among the recent
 * allocations, 0 for none; or it was not freed after all. */
unsigned malloc_monitor_freed(uintptr_t address, owned_leaf leaf,
                              uint16_t epoch, size_t bytes);
void malloc_monitor_not_freed(uintptr_t address, owned_leaf leaf,
                              uint16_t epoch, size_t bytes, unsigned recent);

/* The sums over all leaves, and the most bytes that were live. */
struct malloc_total {
  uint64_t count, bytes, peak_bytes;
};

/* Give the leaves of the tree their counts.  All stripes are locked. */
struct malloc_total malloc_monitor_settle(struct malloc_monitor *m);

/* The epoch of now. */
static inline uint16_t
malloc_monitor_epoch(void)
{
  return __atomic_load_n(&stripes.epoch, __ATOMIC_ACQUIRE);
}

#endif
