/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shipper from inside.  One thread takes and sends; others only set what is
 * atomic here, and wake it.
 */

#ifndef MPROF_SHIPPING_H
#define MPROF_SHIPPING_H

#include "serve/ship_period.h"
#include "serve/ship_post.h"

#include <stdatomic.h>

/* As in struct ship_counts. */
enum count {
  ALLOCATIONS,
  BYTES,
  REQUESTS,
  OCTETS,
  FAILURES,
  MISSED,
  DROPPED_ALLOCATIONS,
  DROPPED_BYTES,
  DROPPED_PARTS,
  COUNTS
};

struct shipper {
  const struct program *program;
  struct ship_target target;
  struct ship_connection *connection; /* owned */
  struct ship_queue queue;
  int64_t every, deadline; /* milliseconds */
  int64_t opened;          /* nanoseconds since 1970 */
  uint64_t most;           /* samples that the other side takes at once */
  bool silent;             /* the program: no snapshot */
  bool sending;            /* the oldest period, which stays as it is */
  int64_t wait;            /* milliseconds; 0: the last request arrived */
  int64_t after; /* how long the other side wants to be left alone */
  unsigned seed;
  int wake;                             /* an eventfd */
  char message[PROGRAM_MESSAGE_LENGTH]; /* why the last one failed */
  _Atomic int64_t end; /* by ship_now: it ends until then; 0: not yet */
  atomic_bool ended;   /* all has been done */
  atomic_uint notes_wanted, notes_taken;
  _Atomic uint64_t counts[COUNTS];
};

/* Takes a snapshot, as the end of a period. */
void ship_take(struct shipper *shipper);

/* Sends what is left of the oldest period.  False: it is to be sent again. */
bool ship_send_first(struct shipper *shipper);

/* Drops what is left of it. */
void ship_drop_first(struct shipper *shipper);

/* Whether the end is not yet there. */
bool ship_goes_on(void *shipper);

#endif
