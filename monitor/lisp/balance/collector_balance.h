/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.h -- what the collector says it gave out, to the byte,
 * and how much of that it made for itself.
 *
 * Free lists.  GC_get_total_bytes is not exact: a thread takes small objects
 * from lists of its own, without a lock, and the collector counts a whole
 * list when it makes it.  So the bytes that lie on the lists are taken off;
 * and the last pages that the collector swept for lists, which it adds to its
 * counter one page late (when it marks in parallel), are forced into the
 * counter.  The lists are part of the collector's record of the thread, which
 * is an object of its heap too, but for that of the first thread.
 *
 * Tables of finalizers and weak links.  Such a table is an object of the
 * collector's heap as well.  It has a power of 2 of places, and when it is
 * full one of twice the size takes its place.  So what the tables took that
 * were made between two balances follows from their sizes at both.
 *
 * The figure is exact only if no other thread allocates at the same time: see
 * stop.h.
 *
 * Purpose.  An allocator that is not counted is to leave a residual, down to
 * a single object of 16 bytes, so every other residual has to be 0.  Without
 * the lists that of one thread would be up to 200 kB, and without the tables
 * anything after many finalizers.  Where it cannot be 0 for a few bytes or
 * for a moment (a fork, a thread that does not pause, a finalizer that
 * allocates) a note names the cause.
 *
 * Limits.  The layout is the collector's private affair (bdwgc 8.2).  All of
 * it is checked, and what is not as expected is not read. */
#pragma once

#include <pthread.h>
#include <stdint.h>

/* Finds libgc's variables; to be called once.  What is not found is a doubt
 * of each balance. */
void collector_balance_open(void);

/* Returns the bytes on the free lists of a thread, or -1 if they cannot be
 * read.  The figure is wrong if the thread allocates meanwhile.  For another
 * thread the caller holds the collector's lock (GC_alloc_lock). */
int64_t collector_list_bytes(pthread_t thread);

/* Returns the bytes of the collector's record of a thread that is alive; 0
 * for the first thread, whose record is static, and if it cannot be read.
 * The collector counts them as given out when the thread begins. */
uint64_t collector_record_bytes(pthread_t thread);

/* Reasons why a balance may be wrong and leave a residual. */
enum balance_doubt {
  BALANCE_LISTS = 1,  /* the free lists were not taken off */
  BALANCE_PAGE = 2,   /* a swept page may be left out of the counter */
  BALANCE_REST = 4,   /* a thread was allocating (stop.h) */
  BALANCE_TABLES = 8, /* the collector's own tables are not known */
  BALANCE_FORK = 16, /* this is the child of a fork: a thread that it does not
                        have was allocating, or a swept page is left out */
  BALANCE_FINALIZERS = 32 /* they allocated */
};

enum { BALANCE_TABLE_COUNT = 3 }; /* of finalizers, and of weak links */

struct collector_balance {
  uint64_t bytes; /* given out since the process began, up to a constant:
                     only differences mean anything */
  unsigned table_bits[BALANCE_TABLE_COUNT]; /* of the number of places; 0: there
                                               is no such table */
  uint64_t table_bytes; /* in a sum: part of `bytes', for such tables */
  unsigned doubts;      /* sum of enum balance_doubt */
};

/* Adds what the collector gave out between the balances FROM and TO to SUM.
 * Sizes of tables are rounded as the collector does now: it may have rounded
 * 1024 bytes to 1344 before it had other objects of about that size. */
void collector_balance_add(struct collector_balance *sum,
                           const struct collector_balance *from,
                           const struct collector_balance *to);

/* Returns what the collector has given out by now; what it could not find out
 * is in `doubts'.  `lists' returns the bytes on the free lists of all
 * threads, or -1 if they cannot be read; it is called with the collector's
 * lock held.  Allocates a page or two from the collector and, if no page is
 * left to sweep, makes it collect.  Not inside the hook; under the monitor's
 * lock. */
struct collector_balance collector_balance(int64_t (*lists)(void));

/* Returns the same in the child of a fork, without allocating.  A page that
 * was swept is left out, so `doubts' has BALANCE_FORK. */
struct collector_balance collector_balance_forked(int64_t (*lists)(void));
