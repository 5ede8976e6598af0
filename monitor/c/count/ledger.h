/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ledger.h -- the counters of a C program's allocations and frees.
 *
 * Model.  Each leaf of the tree has counters: how many of its objects were
 * allocated and freed, and what of that was live at the peak.  All threads
 * count in them under one lock, which is taken after malloc_monitor.lock.
 * (Threads that only call malloc and free wait for it: on two processors four of
 * them take 3.3 times as long as with counters for each thread, one as long.)
 *
 * Peak.  The most bytes that were ever live were so at one moment.  What was
 * live then by leaf is kept as late as can be: counters have the number of
 * the peak that their figures are of, which is compared with the present one
 * before they change.
 *
 * Interrupted.  What the handler of a signal frees is counted in the midst of
 * the count that it interrupted.  It may also jump away from that count.  The
 * order in which a count changes its figures tells how far it came:
 * ledger_recover uses that, and the reader of an image.
 *
 * All of it may run inside the hook: it takes memory from the kernel alone.
 */
#ifndef MPROF_LEDGER_H
#define MPROF_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "common/image_format.h"
#include "image/spin_lock.h"
#include "tree/context_tree.h"

struct object_count {
  uint64_t count, bytes; /* of objects */
};

/* What became of the objects of a leaf, in one cache line. */
struct leaf_counters {
  struct object_count allocated, freed;
  struct object_count at_peak; /* live at the peak of that number: */
  uint64_t peak;            /* if it is of an older one, what is live now */
  uint64_t temporary_count; /* freed before the next allocations */
};

_Static_assert(sizeof(struct leaf_counters) == 64, "a cache line");

enum {
  LEAF_BITS = 25, /* of the number of a leaf */
  /* How many allocations may come between that of an object and its end for
   * it to be temporary. */
  TEMPORARY_MOST = IMAGE_MOST_TEMPORARY
};

extern struct ledger { /* in pages of its own, which can be an image's */
  _Alignas(IMAGE_PAGE) struct spin_lock lock; /* of all that follows */
  int64_t live;                               /* bytes */
  uint64_t count, freed_count;                /* objects */
  struct leaf_counters *counters;             /* by leaf; NULL: none yet */
  uint32_t current_leaf;     /* the leaf that is counted for, or was last */
  uint32_t epoch;            /* of the figures; another one after a reset; an
                                object that is not counted has 0 */
  uint64_t peak_bytes, peak; /* most bytes live; how often that rose */
  uint64_t generation;       /* another one when code or all leaves go away */
  uint32_t leaves;           /* that there are counters for */
  unsigned recent_count;     /* see recent_objects */

  /* For who reads the image while the program runs (reduce/recover/): */
  uint64_t missed;         /* objects without memory to be counted in */
  uint64_t counting_since; /* or not counting; nanoseconds, real time */
  uint64_t figures_since;  /* what the figures are of; the same */
  bool counting;           /* as malloc_monitor.counting */
  bool watched;            /* the reader may take the lock */
  uint32_t request;        /* enum count_request: obeyed at the next
                              allocation, which sees another `generation' */
  struct image_search search;
} ledger HIDDEN;

/* ---- temporary objects ---- */

/* The last allocations of a thread: objects that it frees before its next
 * ones are temporary.  It knows them by the address, and by the number of the
 * thread that allocated them. */
struct recent_objects {
  uint32_t thread; /* its number, from 1, if there are few enough; else 0 */
  uint32_t at;
  uintptr_t address[TEMPORARY_MOST]; /* in a circle */
};

/* What an object is known by until it is freed: its leaf, and the number of
 * the thread that allocated it.  0: it was not counted. */
typedef uint32_t owned_leaf;

static inline uint32_t
owned_leaf_number(owned_leaf l)
{
  return l & ((UINT32_C(1) << LEAF_BITS) - 1);
}

/* Adds an object that the thread has allocated. */
static inline owned_leaf
recent_objects_add(struct recent_objects *r, uint32_t leaf, uintptr_t address)
{
  r->address[r->at] = address;
  if (__builtin_expect(ledger.recent_count != 1, 0) &&
      ++r->at >= ledger.recent_count)
    r->at = 0;
  return r->thread << LEAF_BITS | leaf;
}

/* Takes out an object that the thread frees; returns false if it has none. */
static inline bool
recent_objects_take(struct recent_objects *r, owned_leaf leaf,
                    uintptr_t address)
{
  if (leaf >> LEAF_BITS != r->thread || r->thread == 0)
    return false;
  for (unsigned i = 0; i < ledger.recent_count; i++)
    if (r->address[i] == address) {
      r->address[i] = 0;
      return true;
    }
  return false;
}

/* Gives a thread that begins a number, and takes it back when it ends.  Under
 * a lock of the caller's. */
void recent_objects_join(struct recent_objects *recent);
void recent_objects_leave(struct recent_objects *recent);

/* ---- counts, under the lock ---- */

/* What comes before is in memory before what follows: for a handler of a
 * signal in this thread. */
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

/* Begins a new peak where more bytes are live than ever.  A handler of a
 * signal in the midst of it does the same before it frees, so what is read
 * here is stored in any case. */
static inline void
ledger_grow(void)
{
  const uint64_t peak = ledger.peak;
  COMPILER_BARRIER();
  const int64_t live = ledger.live;
  COMPILER_BARRIER();
  if (live <= (int64_t)ledger.peak_bytes)
    return;
  ledger.peak = peak + 1; /* no counters have figures of it */
  COMPILER_BARRIER();
  ledger.peak_bytes = (uint64_t)live;
}

/* The figures of the leaf are about to change: keep those of the peak. */
static inline void
ledger_keep_peak(struct leaf_counters *c)
{
  if (c->peak != ledger.peak) {
    const struct object_count freed = c->freed;
    COMPILER_BARRIER();
    const uint64_t peak = ledger.peak;
    if (c->peak == peak) /* a handler of a signal has freed meanwhile */
      return;
    c->at_peak.count = c->allocated.count - freed.count;
    c->at_peak.bytes = c->allocated.bytes - freed.bytes;
    COMPILER_BARRIER(); /* until now it has none of this peak */
    c->peak = peak;
  }
}

/* Counts an event, or its end, of `bytes'.  Each figure changes in one
 * instruction where the processor has one for that (arch_add), so a handler
 * of a signal can count in the midst of this. */
static inline void
ledger_count(uint32_t leaf, struct object_count *tally, uint64_t *count,
             size_t bytes, int64_t live)
{
  ledger.current_leaf = leaf;
  ledger_keep_peak(&ledger.counters[leaf]);
  COMPILER_BARRIER();
  arch_add(&tally->count, 1);
  arch_add(&tally->bytes, bytes);
  arch_add(count, 1);
  arch_add((uint64_t *)&ledger.live, (uint64_t)live);
}

/* ---- all of it ---- */

/* Opens the lock if this thread has it, as a handler of a signal may have
 * interrupted it in the midst of a count; returns whether it had.
 *
 * Not exact: a peak that another thread reaches before the lock is taken again
 * may have other figures of the leaf that is being counted, or not be seen. */
bool ledger_release(void);

/* The thread has left a count for good, if it has the lock: completes the
 * count, or undoes it, and opens the lock. */
void ledger_recover(void);

/* Has counters for `leaves' leaves.  Returns false if there is no memory.
 * This thread has not got the lock. */
bool ledger_reserve(uint32_t leaves);

/* Leaves are of other code now, or forgotten: what threads know of them is no
 * longer true.  Under the lock. */
void ledger_next_generation(void);

/* Forgets all figures.  Under the lock. */
void ledger_forget(void);

/* Puts it into the image of the process, if that has one.  Under the lock. */
void ledger_map(void);

/* Forgets all in the child of a fork, whose one thread is to join again. */
void ledger_forked(void);

#endif
