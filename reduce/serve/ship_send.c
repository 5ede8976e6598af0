/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Taking snapshots and sending them. */

#include "serve/shipping.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  MOST_REFUSALS = 3,
  SHORTEST_REQUEST = 2000, /* milliseconds: as long as the interval, but */
  LONGEST_REQUEST = 30000,
  FIRST_WAIT = 1000,     /* after a failure; then twice as long, */
  LONGEST_WAIT = 300000, /* and so on until then, or LONGEST_INTERVALS */
  LONGEST_INTERVALS = 20
};

static void
count(struct shipper *shipper, enum count which, uint64_t number)
{
  atomic_fetch_add(&shipper->counts[which], number);
}

static void
drop(struct shipper *shipper, const struct ship_parcel *parcel)
{
  count(shipper, DROPPED_PARTS, 1);
  count(shipper, DROPPED_ALLOCATIONS, parcel->allocations);
  count(shipper, DROPPED_BYTES, parcel->bytes);
}

/* ---- taking snapshots ---- */

void
ship_drop_first(struct shipper *shipper)
{
  struct ship_period *period = shipper->queue.first;
  char message[PROGRAM_MESSAGE_LENGTH];
  struct ship_parcel parcel = {.samples = 0};
  if (ship_period_open(period, &shipper->target, message)) {
    parcel.samples = mprof_heap_samples(period->heap) - period->sent;
    parcel.allocations = (uint64_t)mprof_heap_sum(
        period->heap, 0, period->sent, parcel.samples);
    parcel.bytes = (uint64_t)mprof_heap_sum(period->heap, 1, period->sent,
                                            parcel.samples);
  }
  if (period->heap == NULL || parcel.samples > 0)
    drop(shipper, &parcel);
  ship_queue_remove_first(&shipper->queue);
}

/* A program that has figures does not give them: it is said once. */
static void
no_snapshot(struct shipper *shipper, const struct program_status *status,
            const char *message)
{
  if (status->since != 0 && !shipper->silent)
    fprintf(stderr, "mprof: nothing to ship to %s: %s\n",
            shipper->target.shown, message);
  shipper->silent = status->since != 0;
}

/* Takes a snapshot that is not of before a reset, while the status is of
 * after it. */
static struct ship_snapshot *
take_snapshot(struct shipper *shipper, struct program_status *status)
{
  const struct program *program = shipper->program;
  struct program_snapshot taken;
  struct ship_snapshot *snapshot = NULL;
  char message[PROGRAM_MESSAGE_LENGTH];
  uint64_t resets;
  do {
    ship_snapshot_free(snapshot);
    program->status(program->closure, status);
    resets = status->resets;
    if (!program->snapshot(program->closure, SNAPSHOT_FILE, &taken,
                           message)) {
      no_snapshot(shipper, status, message);
      return NULL;
    }
    shipper->silent = false;
    snapshot = ship_snapshot_new(taken.octets, taken.length, taken.time_nanos,
                                 resets);
    if (taken.release != NULL)
      taken.release(&taken);
    program->status(program->closure, status);
  } while (snapshot != NULL && status->resets != resets);
  return snapshot;
}

void
ship_take(struct shipper *shipper)
{
  const unsigned notes = atomic_load(&shipper->notes_wanted);
  struct program_status status;
  struct ship_snapshot *snapshot = take_snapshot(shipper, &status);
  const int64_t since = status.since * INT64_C(1000000000);
  if (snapshot != NULL &&
      !ship_queue_add(&shipper->queue, snapshot,
                      since > shipper->opened ? since : shipper->opened))
    ship_snapshot_free(snapshot);
  while (!shipper->sending && ship_queue_full(&shipper->queue))
    ship_drop_first(shipper);
  atomic_store(&shipper->notes_taken, notes);
}

/* ---- sending ---- */

bool
ship_goes_on(void *closure)
{
  struct shipper *shipper = closure;
  const int64_t end = atomic_load(&shipper->end);
  /* Who is about to forget the figures does not wait for the other side. */
  if (atomic_load(&shipper->notes_taken) !=
      atomic_load(&shipper->notes_wanted))
    ship_take(shipper);
  return end == 0 || ship_now() < end;
}

/* The other side did not take it: when to send it again. */
static void
fail(struct shipper *shipper)
{
  const int64_t first =
      shipper->every < FIRST_WAIT ? shipper->every : FIRST_WAIT;
  const int64_t longest = LONGEST_INTERVALS * shipper->every < LONGEST_WAIT
                              ? LONGEST_INTERVALS * shipper->every
                              : LONGEST_WAIT;
  count(shipper, FAILURES, 1);
  if (shipper->wait == 0)
    fprintf(stderr, "mprof: cannot ship to %s: %s; trying again\n",
            shipper->target.shown, shipper->message);
  shipper->wait = shipper->wait == 0 ? first : 2 * shipper->wait;
  if (shipper->wait > longest)
    shipper->wait = longest;
}

static void
succeed(struct shipper *shipper, const struct ship_parcel *parcel)
{
  const struct ship_part *part = &parcel->part;
  count(shipper, ALLOCATIONS, parcel->allocations);
  count(shipper, BYTES, parcel->bytes);
  count(shipper, OCTETS, part->profiles[0].length + part->profiles[1].length);
  if (shipper->wait != 0)
    fprintf(stderr, "mprof: shipping to %s again\n", shipper->target.shown);
  shipper->wait = 0;
}

/* The next part is not sent any more. */
static void
refuse(struct shipper *shipper, const struct ship_parcel *parcel)
{
  drop(shipper, parcel);
  fprintf(stderr,
          "mprof: dropped %" PRIu64 " allocations, %" PRIu64
          " bytes that %s refused: %s\n",
          parcel->allocations, parcel->bytes, shipper->target.shown,
          shipper->message);
}

/* Sends PARCEL.  True: it need not be sent again. */
static bool
post(struct shipper *shipper, struct ship_period *period,
     const struct ship_parcel *parcel)
{
  struct ship_request request;
  enum ship_answer answer = SHIP_AWAY;
  const bool begun = period->begun;
  const int64_t end = atomic_load(&shipper->end);
  const int64_t latest =
      ship_now() + (shipper->every < SHORTEST_REQUEST  ? SHORTEST_REQUEST
                    : shipper->every > LONGEST_REQUEST ? LONGEST_REQUEST
                                                       : shipper->every);
  if (ship_request_init(&request, &shipper->target, &parcel->part)) {
    count(shipper, REQUESTS, 1);
    shipper->sending = period->begun = true;
    answer = ship_post(shipper->connection, &request,
                       end != 0 && end < latest ? end : latest, ship_goes_on,
                       shipper, &shipper->after, shipper->message);
  }
  ship_request_release(&request);
  shipper->sending = false;
  period->begun = begun || answer == SHIP_MISSED;
  if (answer == SHIP_TAKEN) {
    succeed(shipper, parcel);
    return true;
  }
  if (answer == SHIP_TOO_LARGE && parcel->samples > 1) {
    shipper->most = parcel->samples / 2;
    return false;
  }
  fail(shipper);
  count(shipper, MISSED, answer == SHIP_MISSED);
  if ((answer != SHIP_REFUSED && answer != SHIP_TOO_LARGE) ||
      ++period->refusals < MOST_REFUSALS)
    return false;
  refuse(shipper, parcel);
  return true;
}

bool
ship_send_first(struct shipper *shipper)
{
  struct ship_period *period = shipper->queue.first;
  if (!ship_period_open(period, &shipper->target, shipper->message)) {
    fail(shipper);
    ship_drop_first(shipper);
    return false;
  }
  while (period->sent < mprof_heap_samples(period->heap)) {
    struct ship_parcel parcel;
    const uint64_t most = shipper->most;
    const bool done = ship_parcel_init(&parcel, period, &shipper->target,
                                       most, shipper->message) &&
                      post(shipper, period, &parcel);
    if (done) {
      period->sent += parcel.samples;
      period->begun = true;
      period->refusals = 0;
    }
    ship_parcel_release(&parcel);
    if (!done && shipper->most == most)
      return false;
  }
  ship_queue_remove_first(&shipper->queue);
  return true;
}
