/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that takes snapshots and sends them. */

#include "serve/shipping.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Times are in milliseconds. */
enum {
  MOST_SAMPLES =
      16000, /* of a part: Pyroscope's max-profile-stacktrace-samples */
  MOST_REFUSALS = 3,
  USUAL_INTERVAL = 15000,
  USUAL_DEADLINE = 5000,
  SHORTEST_REQUEST = 5000, /* a request may take as long as the interval, */
  LONGEST_REQUEST = 30000, /* but at least and at most so long */
  FIRST_WAIT = 1000,       /* after a failure; it doubles after each other */
  LONGEST_WAIT = 300000,
  LONGEST_INTERVALS = 20, /* nor is a wait longer than so many intervals */
  LAST_WAIT = 100         /* after the first failure at the end */
};
static const int64_t second = 1000000000; /* in nanoseconds */

int64_t
ship_now(void)
{
  return clock_nanos(CLOCK_MONOTONIC) / 1000000;
}

static int64_t
least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
most(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

bool
ship_goes_on(const struct shipper *shipper)
{
  const int64_t end = atomic_load(&shipper->end);
  return end == 0 || ship_now() < end;
}

/* ---- counts ---- */

/* Adds the next SAMPLES of PERIOD to WHICH, a count of allocations, and to
 * the count of bytes that follows it. */
static void
count(struct shipper *shipper, const struct ship_period *period,
      uint64_t samples, enum ship_count which)
{
  for (int i = 0; i < 2; i++)
    shipper->counts[which + (unsigned)i] +=
        (uint64_t)mprof_heap_sum(period->heap, i, period->sent, samples);
}

/* Drops what is left of the first period. */
static void
drop_first(struct shipper *shipper)
{
  const struct ship_period *period = &shipper->periods.first;
  const uint64_t left = ship_period_left(period);
  if (left > 0 || *mprof_heap_error(period->heap) != '\0')
    shipper->counts[SHIP_DROPPED_PARTS]++;
  count(shipper, period, left, SHIP_DROPPED_ALLOCATIONS);
  ship_periods_remove_first(&shipper->periods);
}

/* ---- taking snapshots ---- */

/* Takes a snapshot, which ends a period.  Reports once if a program that has
 * figures does not give them. */
static void
take(struct shipper *shipper)
{
  struct snapshot now;
  char message[PROGRAM_MESSAGE_LENGTH];
  const bool good = snapshot_take(shipper->program, 0, &now, message);
  const int64_t since = now.status.since * second;
  if (good)
    ship_periods_add(&shipper->periods, &now, most(since, shipper->opened));
  else if (since != 0 && !shipper->silent)
    fprintf(stderr, "mprof: nothing to ship to %s: %s\n",
            shipper->target.shown, message);
  shipper->silent = !good && since != 0;
}

/* ---- sending ---- */

/* Counts and reports a failure, and sets the time to wait. */
static void
fail(struct shipper *shipper)
{
  shipper->counts[SHIP_FAILURES]++;
  if (shipper->wait == 0)
    fprintf(stderr, "mprof: cannot ship to %s: %s; trying again\n",
            shipper->target.shown, shipper->message);
  shipper->wait =
      shipper->wait == 0
          ? least(FIRST_WAIT, shipper->every)
          : least(2 * shipper->wait,
                  least(LONGEST_WAIT, LONGEST_INTERVALS * shipper->every));
}

/* Drops PART, which the server has refused. */
static void
refuse(struct shipper *shipper, const struct ship_period *period,
       const struct ship_part *part)
{
  const uint64_t *counts = &shipper->counts[SHIP_DROPPED_ALLOCATIONS];
  const uint64_t allocations = counts[0], bytes = counts[1];
  shipper->counts[SHIP_DROPPED_PARTS]++;
  count(shipper, period, part->samples, SHIP_DROPPED_ALLOCATIONS);
  fprintf(stderr,
          "mprof: dropped %" PRIu64 " allocations, %" PRIu64
          " bytes that %s refused: %s\n",
          counts[0] - allocations, counts[1] - bytes, shipper->target.shown,
          shipper->message);
}

/* Sends PART.  Returns false if it must be sent again. */
static bool
send_part(struct shipper *shipper, struct ship_period *period,
          const struct ship_part *part)
{
  const bool begun = period->begun;
  const int64_t end = atomic_load(&shipper->end);
  int64_t latest = ship_now() + least(LONGEST_REQUEST,
                                      most(SHORTEST_REQUEST, shipper->every));
  period->begun = true;
  const long status =
      ship_post(shipper, part, end != 0 ? least(end, latest) : latest);
  period->begun = begun || status == SHIP_UNKNOWN;
  if (ship_is_taken(status)) {
    count(shipper, period, part->samples, SHIP_ALLOCATIONS);
    for (int i = 0; i < 2; i++)
      shipper->counts[SHIP_OCTETS] += mprof_result_length(part->profiles[i]);
    if (shipper->wait != 0)
      fprintf(stderr, "mprof: shipping to %s again\n", shipper->target.shown);
    shipper->wait = 0;
    return true;
  }
  if (status == 413 && part->samples > 1) {
    shipper->most = part->samples / 2;
    return false;
  }
  fail(shipper);
  shipper->counts[SHIP_MISSED] += status == SHIP_UNKNOWN;
  /* Pyroscope answers 422 also when something behind it fails.  Any other
   * status is of a token, a path or a server that may be mended, or a limit.
   */
  if ((status != 400 && status != 413 && status != 415 && status != 422) ||
      ++period->refusals < MOST_REFUSALS)
    return false;
  refuse(shipper, period, part);
  return true;
}

/* Sends the rest of the first period.  Returns false if that failed. */
static bool
send_first(struct shipper *shipper)
{
  struct ship_period *period = &shipper->periods.first;
  const char *error = mprof_heap_error(period->heap);
  if (*error != '\0') {
    snprintf(shipper->message, sizeof shipper->message, "%s", error);
    fail(shipper);
    drop_first(shipper);
    return false;
  }
  while (ship_period_left(period) > 0) {
    struct ship_part part;
    const uint64_t before = shipper->most;
    const bool done = ship_part_init(&part, period, &shipper->target, before,
                                     shipper->message) &&
                      send_part(shipper, period, &part);
    if (done) {
      period->sent += part.samples;
      period->begun = true;
      period->refusals = 0;
    }
    ship_part_release(&part);
    if (!done && shipper->most == before)
      return false;
  }
  ship_periods_remove_first(&shipper->periods);
  return true;
}

/* ---- the thread ---- */

static int64_t
random_up_to(struct shipper *shipper, int64_t most)
{
  return most * rand_r(&shipper->seed) / RAND_MAX;
}

/* Returns the time of ship_now at which to send next.  After a failure it is
 * random, so that many programs do not come back to a server at once. */
static int64_t
next_time(struct shipper *shipper, int64_t last)
{
  if (shipper->wait == 0)
    return last + shipper->every;
  const int64_t wait =
      shipper->wait / 2 + random_up_to(shipper, shipper->wait / 2);
  return ship_now() + most(wait, shipper->after);
}

/* Waits until TIME, or until it is woken. */
static void
rest(struct shipper *shipper, int64_t time, const sigset_t *signals)
{
  struct pollfd wake = {shipper->wake, POLLIN, 0};
  eventfd_t number;
  const int64_t left = most(time - ship_now(), 0);
  const struct timespec timeout = {left / 1000, left % 1000 * 1000000};
  pthread_mutex_unlock(&shipper->one);
  if (ppoll(&wake, 1, &timeout, signals) > 0)
    eventfd_read(shipper->wake, &number);
  pthread_mutex_lock(&shipper->one);
}

/* Sends the rest, and tries again as long as there is time.  During an outage
 * it tries only once, so as not to delay the end of the program. */
static void
finish(struct shipper *shipper, const sigset_t *signals)
{
  const bool was_away = shipper->wait != 0;
  int64_t wait = LAST_WAIT;
  while (shipper->periods.first.heap != NULL && ship_goes_on(shipper))
    if (!send_first(shipper)) {
      const int64_t left = atomic_load(&shipper->end) - ship_now();
      if (was_away || shipper->after > left)
        break;
      rest(shipper, ship_now() + wait, signals);
      wait *= 2;
    }
  while (shipper->periods.first.heap != NULL)
    drop_first(shipper);
  shipper->ended = true;
}

/* Locks the shipper.  Blocks the program's interrupts, and SIGPIPE, which a
 * broken connection would raise. */
static void
enter(struct shipper *shipper, sigset_t *before)
{
  sigset_t blocked = shipper->program->interrupts;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, before);
  pthread_mutex_lock(&shipper->one);
}

static void
leave(struct shipper *shipper, const sigset_t *before)
{
  pthread_mutex_unlock(&shipper->one);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

void
mprof_ship_run(struct shipper *shipper)
{
  sigset_t before;
  if (shipper->ended)
    return;
  enter(shipper, &before);
  /* Programs that start at once are spread over the interval. */
  int64_t next = ship_now() + random_up_to(shipper, shipper->every);
  while (atomic_load(&shipper->end) == 0) {
    /* It rests even when it is late, since signals are handled only there. */
    rest(shipper, next, &before);
    if (atomic_load(&shipper->end) != 0 || ship_now() < next)
      continue;
    take(shipper);
    while (shipper->periods.first.heap != NULL && send_first(shipper))
      ;
    next = next_time(shipper, next);
  }
  take(shipper);
  finish(shipper, &before);
  leave(shipper, &before);
}

void
mprof_ship_profile(struct shipper *shipper, void *profile)
{
  const int64_t time = mprof_profile_time(profile);
  const int64_t duration = mprof_profile_duration(profile);
  struct snapshot now = {.profile = profile,
                         .time = time != 0 ? time : shipper->opened};
  sigset_t before;
  enter(shipper, &before);
  /* A file may have no duration. */
  ship_periods_add(&shipper->periods, &now,
                   now.time - (duration > 0 ? duration : second));
  mprof_ship_stop(shipper);
  finish(shipper, &before);
  leave(shipper, &before);
}

/* ---- for other threads ---- */

void
mprof_ship_note(struct shipper *shipper)
{
  sigset_t before;
  enter(shipper, &before);
  take(shipper);
  leave(shipper, &before);
}

void
mprof_ship_stop(struct shipper *shipper)
{
  int64_t none = 0;
  atomic_compare_exchange_strong(&shipper->end, &none,
                                 ship_now() + shipper->deadline);
  eventfd_write(shipper->wake, 1);
}

/* ---- opening and closing ---- */

struct shipper *
mprof_ship_open(const struct ship_options *options,
                const struct program *program, char *message)
{
  struct shipper *shipper = calloc(1, sizeof *shipper);
  snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  if (shipper == NULL)
    return NULL;
  shipper->program = program;
  pthread_mutex_init(&shipper->one, NULL);
  shipper->most = MOST_SAMPLES;
  shipper->opened = clock_nanos(CLOCK_REALTIME);
  shipper->seed = (unsigned)(shipper->opened ^ getpid() ^ (intptr_t)shipper);
  shipper->every =
      options->every == 0 ? USUAL_INTERVAL : (int64_t)options->every;
  shipper->deadline =
      options->deadline == 0 ? USUAL_DEADLINE : (int64_t)options->deadline;
  shipper->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (shipper->wake >= 0 &&
      ship_target_init(&shipper->target, options, program->name, message) &&
      ship_connect(shipper))
    return shipper;
  mprof_ship_close(shipper);
  return NULL;
}

void
mprof_ship_close(struct shipper *shipper)
{
  ship_disconnect(shipper);
  ship_periods_release(&shipper->periods);
  ship_target_release(&shipper->target);
  if (shipper->wake >= 0)
    close(shipper->wake);
  pthread_mutex_destroy(&shipper->one);
  free(shipper);
}

unsigned long long
mprof_ship_count(const struct shipper *shipper, enum ship_count which)
{
  return shipper->counts[which];
}

const char *
mprof_ship_summary(struct shipper *shipper)
{
  const uint64_t *counts = shipper->counts;
  char *summary = shipper->summary;
  const int length = snprintf(
      summary, sizeof shipper->summary,
      "shipped %" PRIu64 " allocations, %" PRIu64 " bytes, to %.100s in "
      "%" PRIu64 " requests; failed: %" PRIu64
      ", without an answer: %" PRIu64,
      counts[SHIP_ALLOCATIONS], counts[SHIP_BYTES], shipper->target.shown,
      counts[SHIP_REQUESTS], counts[SHIP_FAILURES], counts[SHIP_MISSED]);
  if (counts[SHIP_DROPPED_PARTS] > 0)
    snprintf(summary + length, sizeof shipper->summary - (size_t)length,
             "; not shipped: %" PRIu64 " allocations, %" PRIu64
             " bytes: %.200s",
             counts[SHIP_DROPPED_ALLOCATIONS], counts[SHIP_DROPPED_BYTES],
             shipper->message);
  return summary;
}
