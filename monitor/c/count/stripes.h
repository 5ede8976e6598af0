/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes.h -- the counters of a C program's allocations and frees.
 *
 * Model.  A *stripe* has counters for each leaf: how many of its objects were
 * allocated and freed by the threads that count in this stripe.  The figures
 * of a leaf are the sums over all stripes.  At first all threads count in
 * stripe 0.  Where they often wait for it, each goes to one of its own, as
 * long as there are enough.
 *
 * Peak.  The most bytes that were ever live were so at one moment of the
 * program, but no thread knows what is live in the other stripes.  It need
 * not know as long as fewer bytes are live than were at the peak: the
 * difference is shared out among the stripes that are open.
 *
 *     live[s] <= limit[s],   sum of limit[s] <= peak_bytes
 *
 * live[s] is what was allocated in the stripe less what was freed in it, and
 * can be negative.  All stripes are locked where it would exceed the limit:
 * then the limits are shared out anew, or there is a new peak.  While a
 * program grows, each allocation is one.  So where limits are often reached,
 * all threads come back to stripe 0.  While it alone is open, it has no
 * limit, and raises the peak by itself.
 *
 * Four threads that do nothing but malloc and free took 3.4 times as long
 * under one lock, on two processors; four that build lists, 2.1 times.
 *
 * What was live at the peak by leaf is kept as late as can be: counters have
 * the number of the peak that their figures are of, which is compared with
 * the present one before they change.
 *
 * Locks.  Each stripe has one, held while a thread counts in it.  Several are
 * taken in the order of their numbers, after monitor.lock.
 *
 * Interrupted.  What the handler of a signal frees is counted in the midst of
 * the count that it interrupted.  It may also jump away from that count.  The
 * order in which a count changes its figures tells how far it came, which
 * stripe_complete uses, in the program and in the reader of an image.
 *
 * All of it may run inside the hook: it takes memory from the kernel alone.
 */
#pragma once

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

/* What became of the objects of a leaf, in one stripe and one cache line. */
struct leaf_counters {
  struct object_count allocated, freed;
  struct object_count at_peak; /* live at the peak with the number `peak' */
  uint64_t peak;               /* if older than stripes.peak, what is live now
                                  was live at that one */
  uint64_t temporary_count;    /* objects (see TEMPORARY_MOST) */
};

_Static_assert(sizeof(struct leaf_counters) == 64, "a cache line");

static inline void
object_count_add(struct object_count *sum, const struct object_count *more)
{
  sum->count += more->count;
  sum->bytes += more->bytes;
}

/* Adds all of it but the number of the peak. */
static inline void
leaf_counters_add(struct leaf_counters *sum, const struct leaf_counters *more)
{
  object_count_add(&sum->allocated, &more->allocated);
  object_count_add(&sum->freed, &more->freed);
  object_count_add(&sum->at_peak, &more->at_peak);
  sum->temporary_count += more->temporary_count;
}

enum {
  STRIPES = 16,
  LEAF_BITS = 25, /* of the number of a leaf */
  EPOCH_BITS = 19,
  EPOCH_MOST = (1 << EPOCH_BITS) - 1,
  /* Limit of stripes.recent_count, N: an object is temporary if its thread
   * frees it before the Nth next allocation of that thread. */
  TEMPORARY_MOST = IMAGE_MOST_TEMPORARY
};

/* What each event changes is in one cache line. */
struct stripe {
  _Alignas(64) struct spin_lock lock; /* guards all that follows */
  int64_t live, limit;                /* bytes */
  uint64_t count, freed_count;        /* objects */
  struct leaf_counters *counters;     /* by leaf; NULL: not used yet */
  uint32_t current_leaf; /* the leaf that is counted for, or was last */
  uint32_t open;         /* true: threads may count in it; always of [0] */
  uint64_t limited;      /* `count' when the limit was reached last */
};

_Static_assert(sizeof(struct stripe) == 64, "a cache line");

/* In pages of its own, which can be those of an image: mprof-formats(5) has
 * the offsets. */
struct stripes {
  _Alignas(IMAGE_PAGE) uint32_t used; /* number of stripes, from the first
                                         on, that may have counters; atomic */
  uint32_t epoch;            /* of the figures, up to EPOCH_MOST; another one
                                after a reset; an object that is not counted
                                has 0 */
  uint64_t peak_bytes, peak; /* most bytes live; how often that rose */
  int64_t live_elsewhere;    /* bytes live in all others while the first one
                                alone is open, else SHARED_OUT */
  uint64_t generation;       /* another one when code or all leaves go away */
  uint32_t leaves;           /* that all used ones have counters for */
  uint32_t recent_count;     /* see TEMPORARY_MOST; 0: none is temporary */
  uint32_t rebalance_again;  /* true: a handler of a signal freed while all
                                were locked; stripes_unlock rebalances */

  /* For readers of the image while the program runs (reduce/images/): */
  uint32_t counting;      /* allocations, as last asked for */
  uint64_t missed;        /* objects not counted for want of memory; atomic */
  uint64_t figures_since; /* their beginning, in nanoseconds since 1970 */
  uint32_t watched;       /* the reader may take the locks */
  struct image_search search;
  struct stripe stripe[STRIPES];
};

/* Value of live_elsewhere with which no stripe raises the peak by itself. */
#define SHARED_OUT (INT64_MIN / 2)

extern struct stripes stripes HIDDEN;

/* A thread that counts.  Its number is from 1 to STRIPES - 1, or 0 if all are
 * taken; then it has no stripe of its own and no temporary objects.  A thread
 * knows its recent objects by their address and by its number in their
 * owned_leaf. */
struct stripe_user {
  struct stripe *stripe; /* in which it counts */
  uint32_t number;
  uint32_t recent_at;               /* index of the oldest in `recent' */
  uintptr_t recent[TEMPORARY_MOST]; /* addresses, recent_count in a circle */
};

/* The leaf of an object, and the number of the thread that allocated it.  0:
 * it was not counted. */
typedef uint32_t owned_leaf;

/* What an object is known by until it is freed. */
struct counted {
  owned_leaf leaf;
  uint32_t epoch; /* of the figures that it is in */
};

static inline uint32_t
owned_leaf_number(owned_leaf l)
{
  return l & ((UINT32_C(1) << LEAF_BITS) - 1);
}

/* ---- one stripe, under its lock ---- */

/* Keeps the order of memory accesses before and after it, for a handler of a
 * signal in this thread. */
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

/* Returns whether `bytes' can be allocated without looking at the other
 * stripes. */
static inline bool
stripe_has_room(const struct stripe *s, size_t bytes)
{
  return s->live + (int64_t)bytes <= s->limit;
}

/* Begins a new peak where more bytes are live than ever, if the stripe, which
 * is open, is the only one that is.  A handler of a signal in the midst of it
 * does the same before it frees (stripes_settle), so what is read here is
 * stored in any case. */
static inline void
stripe_grow(struct stripe *s)
{
  const uint64_t peak = stripes.peak;
  COMPILER_BARRIER();
  const int64_t live = s->live + stripes.live_elsewhere;
  COMPILER_BARRIER();
  if (live <= (int64_t)stripes.peak_bytes)
    return;
  stripes.peak = peak + 1; /* no counters have figures of it */
  COMPILER_BARRIER();
  stripes.peak_bytes = (uint64_t)live;
}

/* Keeps the figures that the leaf had at the peak, before they change. */
static inline void
stripe_keep_peak(struct leaf_counters *c)
{
  if (c->peak != stripes.peak) {
    const struct object_count freed = c->freed;
    COMPILER_BARRIER();
    const uint64_t peak = stripes.peak;
    if (c->peak == peak) /* a handler of a signal has freed meanwhile */
      return;
    c->at_peak.count = c->allocated.count - freed.count;
    c->at_peak.bytes = c->allocated.bytes - freed.bytes;
    COMPILER_BARRIER(); /* until now it has none of this peak */
    c->peak = peak;
  }
}

/* Adds an object of `bytes' to the `tally' of its leaf and to the `count' of
 * the stripe, and `live' to the live bytes.  Each figure changes in one
 * instruction where the processor has one for that (arch_add), so a handler
 * of a signal can count in the midst of this. */
static inline void
stripe_count(struct stripe *s, uint32_t leaf, struct object_count *tally,
             uint64_t *count, size_t bytes, int64_t live)
{
  s->current_leaf = leaf;
  stripe_keep_peak(&s->counters[leaf]);
  COMPILER_BARRIER();
  arch_add(&tally->count, 1);
  arch_add(&tally->bytes, bytes);
  arch_add(count, 1);
  arch_add((uint64_t *)&s->live, (uint64_t)live);
}

/* Completes a count that was left in the stripe, which has these COUNTERS for
 * LEAVES leaves, or undoes it.  How far it came is seen in which of the
 * figures are ahead of which:
 *
 *     the leaf's count         undone, as its bytes are not known
 *     and its bytes            what is live follows, and the stripe's count
 *     and the stripe's count   what is live follows */
static inline void
stripe_complete(struct stripe *s, struct leaf_counters *counters,
                uint32_t leaves)
{
  struct leaf_counters sum = {.peak = 0};
  for (uint32_t i = LEAF_OVERFLOW; i < leaves; i++)
    leaf_counters_add(&sum, &counters[i]);
  const int64_t live = (int64_t)(sum.allocated.bytes - sum.freed.bytes);
  if (live != s->live) {
    s->count = sum.allocated.count;
    s->freed_count = sum.freed.count;
  } else if (s->current_leaf < leaves) { /* a reader's may be damaged */
    struct leaf_counters *const c = &counters[s->current_leaf];
    c->allocated.count -= sum.allocated.count - s->count;
    c->freed.count -= sum.freed.count - s->freed_count;
  }
  s->live = live;
}

/* ---- threads ---- */

/* Adds an object to the recent allocations of the thread.  Returns the leaf
 * with the thread's number. */
static inline owned_leaf
stripe_user_allocates(struct stripe_user *user, uint32_t leaf,
                      uintptr_t address)
{
  user->recent[user->recent_at] = address;
  if (__builtin_expect(stripes.recent_count != 1, 0) &&
      ++user->recent_at >= stripes.recent_count)
    user->recent_at = 0;
  return user->number << LEAF_BITS | leaf;
}

/* Takes an object out of the recent allocations of the thread, which frees
 * it; returns false if it is none of them. */
static inline bool
stripe_user_frees(struct stripe_user *user, owned_leaf leaf,
                  uintptr_t address)
{
  if (leaf >> LEAF_BITS != user->number || user->number == 0)
    return false;
  for (unsigned i = 0; i < stripes.recent_count; i++)
    if (user->recent[i] == address) {
      user->recent[i] = 0;
      return true;
    }
  return false;
}

/* Locks the stripe in which the thread counts, and returns it: another one
 * than before if that was closed, or if threads wait too often.  The thread
 * has no stripe locked. */
struct stripe *stripes_lock_mine(struct stripe_user *user);

/* Gives a thread that begins the first stripe and a number, and takes them
 * back when it ends.  Under the lock of struct threads (monitor.h);
 * stripes_leave may lock all stripes. */
void stripes_join(struct stripe_user *user);
void stripes_leave(struct stripe_user *user);

/* ---- all stripes ---- */

/* Returns the end of the stripes that are used. */
static inline struct stripe *
stripes_end(void)
{
  return stripes.stripe + __atomic_load_n(&stripes.used, __ATOMIC_ACQUIRE);
}

/* Locks all used stripes, none of which this thread holds; unlocks them. */
void stripes_lock(void);
void stripes_unlock(void);

/* Finds the peak in the midst of a count in the stripe S that a signal has
 * interrupted, so that its handler can free. */
void stripes_settle(struct stripe *s);

/* Completes the count that the thread has left for good, or undoes it, and
 * unlocks the stripes that the thread holds. */
void stripes_recover(void);

/* Begins a new peak or shares out anew where a count in the stripe went
 * beyond its limit; closes all but the first one if that happens often.  All
 * are locked. */
void stripes_pass_limit(struct stripe *s);

/* Gives the thread the stripe of its number.  Does nothing if that is 0 or
 * there is no memory.  All are locked. */
void stripes_open_own(struct stripe_user *user);

/* Closes all stripes but the first one.  All are locked. */
void stripes_close_others(void);

/* Makes room for the counters of `leaves' leaves, of which there may be MOST,
 * in all used stripes, which it locks; this thread holds none.  Returns false
 * if there is no memory. */
bool stripes_reserve(uint32_t leaves, uint32_t most);

/* Makes threads forget what they know of leaves, which are of other code now,
 * or gone.  All are locked. */
void stripes_next_generation(void);

/* Zeroes all figures and begins another epoch.  All are locked. */
void stripes_forget(void);

/* Puts all into the open image, if any; image_opened says whether it had room
 * for them.  All are locked. */
void stripes_map(void);

/* Forgets all in the child of a fork, and uses one stripe, with counters for
 * so many leaves at most.  stripes_join of the thread is to follow. */
void stripes_forked(uint32_t leaves);
