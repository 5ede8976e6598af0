/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that ships, and the life of a shipper. */

#include "serve/shipping.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_SAMPLES =
      16000, /* of a part: Pyroscope's max-profile-stacktrace-samples */
  EVERY_MILLISECONDS = 15000,
  DEADLINE_MILLISECONDS = 5000,
  UNKNOWN_NANOS = 1000000000, /* a file does not say how long it took */
  LAST_WAIT = 100             /* the first, when the end is near */
};

/* ---- the thread ---- */

static int64_t
random_up_to(struct shipper *shipper, int64_t most)
{
  return most * rand_r(&shipper->seed) / RAND_MAX;
}

/* Until when nothing is to be done, by ship_now: where many programs lose the
 * other side at once, they do not come back at once. */
static int64_t
next_time(struct shipper *shipper, int64_t last)
{
  if (shipper->wait == 0)
    return last + shipper->every;
  const int64_t wait =
      shipper->wait / 2 + random_up_to(shipper, shipper->wait / 2);
  return ship_now() + (wait > shipper->after ? wait : shipper->after);
}

/* Waits until TIME, or until it is woken. */
static void
rest(struct shipper *shipper, int64_t time, const sigset_t *signals)
{
  struct pollfd wake = {shipper->wake, POLLIN, 0};
  eventfd_t number;
  int64_t left = time - ship_now();
  if (left < 0)
    left = 0;
  const struct timespec timeout = {left / 1000, left % 1000 * 1000000};
  if (ppoll(&wake, 1, &timeout, signals) > 0)
    eventfd_read(shipper->wake, &number);
}

/* Ships what is left, with a try or as many as there is time for: an outage
 * that has been known for long does not hold up a program that ends. */
static void
finish(struct shipper *shipper, const sigset_t *signals)
{
  const bool was_away = shipper->wait != 0;
  int64_t wait = LAST_WAIT;
  while (shipper->queue.first != NULL && ship_goes_on(shipper))
    if (!ship_send_first(shipper)) {
      const int64_t left = atomic_load(&shipper->end) - ship_now();
      if (was_away || shipper->after > left)
        break;
      rest(shipper, ship_now() + wait, signals);
      wait *= 2;
    }
  while (shipper->queue.first != NULL)
    ship_drop_first(shipper);
  while (atomic_load(&shipper->notes_taken) !=
         atomic_load(&shipper->notes_wanted))
    ship_take(shipper);
  atomic_store(&shipper->ended, true);
}

/* Blocks what may throw, and what a broken connection would send. */
static void
block_signals(const struct shipper *shipper, sigset_t *before)
{
  sigset_t blocked = shipper->program->interrupts;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, before);
}

void
mprof_ship_run(struct shipper *shipper)
{
  sigset_t before;
  if (atomic_load(&shipper->ended))
    return;
  block_signals(shipper, &before);
  /* A thousand that start at once are spread over the interval. */
  int64_t next = ship_now() + random_up_to(shipper, shipper->every);
  while (atomic_load(&shipper->end) == 0) {
    rest(shipper, next, &before);
    const bool is_time = ship_now() >= next;
    if (!is_time && atomic_load(&shipper->notes_taken) ==
                        atomic_load(&shipper->notes_wanted))
      continue;
    ship_take(shipper);
    if (is_time && atomic_load(&shipper->end) == 0) {
      while (shipper->queue.first != NULL && ship_send_first(shipper))
        ;
      next = next_time(shipper, next);
    }
  }
  ship_take(shipper);
  finish(shipper, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
mprof_ship_file(struct shipper *shipper, const void *octets, uint64_t length)
{
  sigset_t before;
  void *profile = mprof_profile_open_octets(octets, length);
  const int64_t time = mprof_profile_time(profile);
  const int64_t duration = mprof_profile_duration(profile);
  struct ship_snapshot *snapshot = ship_snapshot_new(
      octets, length, time != 0 ? time : shipper->opened, 0);
  block_signals(shipper, &before);
  if (snapshot != NULL &&
      ship_queue_add(&shipper->queue, snapshot,
                     snapshot->time -
                         (duration > 0 ? duration : UNKNOWN_NANOS))) {
    mprof_ship_stop(shipper);
    finish(shipper, &before);
  }
  mprof_profile_close(profile);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- for other threads ---- */

static void
wake(struct shipper *shipper)
{
  eventfd_write(shipper->wake, 1);
}

void
mprof_ship_note(struct shipper *shipper)
{
  const unsigned mine = atomic_fetch_add(&shipper->notes_wanted, 1) + 1;
  const int64_t latest = ship_now() + shipper->deadline;
  wake(shipper);
  while ((int)(atomic_load(&shipper->notes_taken) - mine) < 0 &&
         ship_now() < latest)
    nanosleep(&(struct timespec){0, 500000}, NULL);
}

void
mprof_ship_stop(struct shipper *shipper)
{
  int64_t none = 0;
  atomic_compare_exchange_strong(&shipper->end, &none,
                                 ship_now() + shipper->deadline);
  wake(shipper);
}

/* ---- its life ---- */

struct shipper *
mprof_ship_open(const struct ship_options *options,
                const struct program *program, char *message)
{
  struct shipper *shipper = calloc(1, sizeof *shipper);
  struct timespec now;
  snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  if (shipper == NULL)
    return NULL;
  clock_gettime(CLOCK_REALTIME, &now);
  shipper->program = program;
  shipper->most = MOST_SAMPLES;
  shipper->opened = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  shipper->seed = (unsigned)(now.tv_nsec ^ getpid() ^ (intptr_t)shipper);
  shipper->every =
      options->every == 0 ? EVERY_MILLISECONDS : (int64_t)options->every;
  shipper->deadline = options->deadline == 0 ? DEADLINE_MILLISECONDS
                                             : (int64_t)options->deadline;
  shipper->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (shipper->wake < 0 ||
      !ship_target_init(&shipper->target, options, program->name, message) ||
      (shipper->connection = ship_connect()) == NULL) {
    mprof_ship_close(shipper);
    return NULL;
  }
  return shipper;
}

void
mprof_ship_close(struct shipper *shipper)
{
  if (shipper == NULL)
    return;
  ship_disconnect(shipper->connection);
  ship_queue_release(&shipper->queue);
  ship_target_release(&shipper->target);
  if (shipper->wake >= 0)
    close(shipper->wake);
  free(shipper);
}

void
mprof_ship_count(struct shipper *shipper, struct ship_counts *counts)
{
  uint64_t *const places[COUNTS] = {&counts->allocations,
                                    &counts->bytes,
                                    &counts->requests,
                                    &counts->octets,
                                    &counts->failures,
                                    &counts->missed,
                                    &counts->dropped_allocations,
                                    &counts->dropped_bytes,
                                    &counts->dropped_parts};
  for (int i = 0; i < COUNTS; i++)
    *places[i] = atomic_load(&shipper->counts[i]);
}

int
mprof_ship_summary(struct shipper *shipper, char *message)
{
  struct ship_counts counts;
  mprof_ship_count(shipper, &counts);
  int length = snprintf(
      message, PROGRAM_MESSAGE_LENGTH,
      "shipped %" PRIu64 " allocations, %" PRIu64 " bytes, to %.100s in "
      "%" PRIu64 " requests; failed: %" PRIu64
      ", without an answer: %" PRIu64,
      counts.allocations, counts.bytes, shipper->target.shown,
      counts.requests, counts.failures, counts.missed);
  if (counts.dropped_parts > 0)
    snprintf(
        message + length, PROGRAM_MESSAGE_LENGTH - (size_t)length,
        "; not shipped: %" PRIu64 " allocations, %" PRIu64 " bytes: %.200s",
        counts.dropped_allocations, counts.dropped_bytes, shipper->message);
  return counts.dropped_parts == 0;
}
