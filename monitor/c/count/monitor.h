/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.h -- counts what a C program allocates and frees.
 *
 * Model.  Each allocation has a path: the calls that are active, from the
 * first function of the thread to the one that called the allocator.  All
 * threads share one context tree; a leaf is a path with the size of the
 * objects, the name of the thread and the region that it was in.  Its
 * counters are beside the tree, in stripes (stripes.h).
 *
 * Re-entry.  Nothing is counted that a thread does while it is in here, or in
 * the real allocator for a call that is counted.
 *
 * The hook keeps errno; all of it takes memory from the kernel alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/own_process.h"
#include "c/count/stripes.h"
#include "code/function_numbers.h"
#include "image/spin_lock.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

/* In kind.origin: the label of the thread, and whether the dynamic linker
 * allocates, which a leaf over the budget does not tell otherwise. */
#define ORIGIN_THREAD(origin) ((uint32_t)(origin))
#define ORIGIN_LINKER (UINT64_C(1) << 63)

struct monitor {
  bool ready;            /* the tree is there, and in the image if there is to
                            be one */
  struct spin_lock lock; /* of all that follows */
  bool awaits_image;     /* it is made when something is counted */
  bool without_memory;   /* there was none for a tree, which was said */
  struct context_tree tree;
  struct function_numbers functions; /* that are in it */
  struct region_table regions; /* its lock does not guard what is live */
  struct spin_lock *objects;   /* that of interpose/; NULL: none */
};

extern struct monitor monitor HIDDEN;

static inline bool
monitor_is_counting(void)
{
  return __atomic_load_n(&own_process.counting, __ATOMIC_RELAXED);
}

/* What the monitor knows of this thread without memory for it. */
extern __thread struct this_thread {
  struct thread *record; /* thread.h; NULL: none yet */
  int inside;   /* calls that are in the monitor, or in the real allocator
                   for it */
  bool forking; /* so it is, though no call may be active */
  bool fork_skipped; /* the process had not begun when this thread forked:
                        its figures are no copy's, and nothing is locked */
  bool seeking;      /* it looks for the real allocator, and gets early
                        memory */
} this_thread HIDDEN_THREAD;

/* ---- the hook ---- */

/* What an object is known by until it is freed. */
struct counted {
  owned_leaf leaf; /* 0: it was not counted */
  uint32_t epoch;  /* of the figures that it is in */
};

/* Counts an object of `bytes' that the program is given at `address', if
 * allocations are counted; `frame' is that of the interposed function. */
struct counted monitor_allocated(uintptr_t address, size_t bytes,
                                 const uintptr_t *frame);

/* Be ready to count: make the tree, and the image if one is awaited, of which
 * a line is printed when that fails.  False: there is no memory. */
bool monitor_open(struct monitor *m);
bool monitor_open_locked(struct monitor *m);

/* Opens it if it is not.  Under the lock, or another thread leaves the image
 * before the first count in it. */
static inline bool
monitor_is_ready(struct monitor *m)
{
  return __builtin_expect(m->ready, 1) || monitor_open_locked(m);
}

/* Counts the end of the object that was at `address'. */
void monitor_freed(uintptr_t address, struct counted counted, size_t bytes);

/* Counts an object as missed, for want of memory for its record. */
static inline void
monitor_miss(void)
{
  if (monitor_is_counting())
    __atomic_fetch_add(&stripes.missed, 1, __ATOMIC_RELAXED);
}

/* ---- counting, or not ---- */

/* Count, or do not, from now on. */
void monitor_count(bool on);

/* Forget all figures and all live objects. */
void monitor_forget(struct monitor *m);

/* ---- all of it ---- */

/* Locks all of it, and all stripes, of which this thread has none. */
void monitor_lock(struct monitor *m);
void monitor_unlock(struct monitor *m);

/* Leaves the figures so far in the present image; those to come are for
 * another file (process_image_set). */
void monitor_leave_image(struct monitor *m);

/* Forgets all in the child of a fork, of which only this thread is left. */
void monitor_forked(struct monitor *m, bool counting);
