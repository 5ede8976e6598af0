/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is to be shipped: a queue of periods, each from one snapshot to
 * another, and of each the part that comes next.
 */

#ifndef MPROF_SHIP_PERIOD_H
#define MPROF_SHIP_PERIOD_H

#include "serve/ship_target.h"

/* A snapshot, which two periods may have: one ends where the next begins. */
struct ship_snapshot {
  unsigned references;
  int64_t time;    /* nanoseconds since 1970 */
  uint64_t resets; /* of the program, as of then */
  size_t length;
  char octets[];
};

/* One reference; NULL when memory runs out. */
struct ship_snapshot *ship_snapshot_new(const void *octets, size_t length,
                                        int64_t time, uint64_t resets);
void ship_snapshot_free(struct ship_snapshot *snapshot); /* NULL is allowed */

struct ship_period {
  struct ship_period *next;
  struct ship_snapshot *base; /* NULL: nothing was there before */
  struct ship_snapshot *now;
  int64_t from;
  void *heap;    /* their difference; NULL until it is needed */
  uint64_t sent; /* how many of its samples need not be sent any more */
  bool begun;    /* of some it is not known, or known that they are there */
  unsigned refusals; /* of the part that comes next */
};

/* The oldest first.  All of it belongs to one thread. */
struct ship_queue {
  struct ship_period *first;
  size_t count, length;       /* of the periods, and of their snapshots */
  struct ship_snapshot *last; /* where the next period begins, or NULL */
};

/* Bounds of a queue. */
enum { SHIP_MOST_PERIODS = 16, SHIP_MOST_LENGTH = 64 << 20 };

/* Adds what has been until SNAPSHOT, which is the queue's from now on: the
 * last period goes on until then, if it may, or a new one begins; one without
 * a base has begun at FROM.  False when memory runs out, and nothing was
 * added. */
bool ship_queue_add(struct ship_queue *queue, struct ship_snapshot *snapshot,
                    int64_t from);

/* Whether the oldest has to go. */
bool ship_queue_full(const struct ship_queue *queue);

void ship_queue_remove_first(struct ship_queue *queue);
void ship_queue_release(struct ship_queue *queue);

/* Makes the difference.  False: MESSAGE says why. */
bool ship_period_open(struct ship_period *period,
                      const struct ship_target *target, char *message);

/* The next part of a period that is open, of at most MOST samples and what
 * the other side takes. */
struct ship_parcel {
  struct ship_part part;
  uint64_t samples;
  uint64_t allocations, bytes;
  void *results[2]; /* of mprof.h, where the profiles are */
};

bool ship_parcel_init(struct ship_parcel *parcel,
                      const struct ship_period *period,
                      const struct ship_target *target, uint64_t most,
                      char *message);
void ship_parcel_release(struct ship_parcel *parcel);

#endif
