/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/ship_period.h"

#include "export/heap_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What Pyroscope takes at once, by pkg/validation/limits.go: bytes that are
 * not compressed (max-profile-size-bytes).  It takes no profile that is older
 * than an hour (reject-older-than). */
static const uint32_t most_octets = 4 << 20;
static const int64_t oldest_nanos = INT64_C(1800) * 1000000000;

/* ---- snapshots ---- */

struct ship_snapshot *
ship_snapshot_new(const void *octets, size_t length, int64_t time,
                  uint64_t resets)
{
  struct ship_snapshot *snapshot = malloc(sizeof *snapshot + length);
  if (snapshot == NULL)
    return NULL;
  snapshot->references = 1;
  snapshot->time = time;
  snapshot->resets = resets;
  snapshot->length = length;
  memcpy(snapshot->octets, octets, length);
  return snapshot;
}

static struct ship_snapshot *
refer(struct ship_snapshot *snapshot)
{
  if (snapshot != NULL)
    snapshot->references++;
  return snapshot;
}

void
ship_snapshot_free(struct ship_snapshot *snapshot)
{
  if (snapshot != NULL && --snapshot->references == 0)
    free(snapshot);
}

/* ---- the queue ---- */

static void
free_period(struct ship_period *period)
{
  ship_snapshot_free(period->base);
  ship_snapshot_free(period->now);
  mprof_heap_close(period->heap);
  free(period);
}

void
ship_queue_remove_first(struct ship_queue *queue)
{
  struct ship_period *period = queue->first;
  queue->first = period->next;
  queue->count--;
  queue->length -= period->now->length;
  free_period(period);
}

void
ship_queue_release(struct ship_queue *queue)
{
  while (queue->first != NULL)
    ship_queue_remove_first(queue);
  ship_snapshot_free(queue->last);
}

bool
ship_queue_full(const struct ship_queue *queue)
{
  return queue->count > SHIP_MOST_PERIODS ||
         (queue->count > 1 && queue->length > SHIP_MOST_LENGTH);
}

/* The period goes on until SNAPSHOT. */
static void
extend(struct ship_queue *queue, struct ship_period *period,
       struct ship_snapshot *snapshot)
{
  queue->length += snapshot->length - period->now->length;
  ship_snapshot_free(period->now);
  period->now = refer(snapshot);
  mprof_heap_close(period->heap);
  period->heap = NULL;
}

bool
ship_queue_add(struct ship_queue *queue, struct ship_snapshot *snapshot,
               int64_t from)
{
  struct ship_snapshot *base =
      queue->last != NULL && queue->last->resets == snapshot->resets
          ? queue->last
          : NULL;
  struct ship_period **end = &queue->first;
  while (*end != NULL && (*end)->next != NULL)
    end = &(*end)->next;
  if (base != NULL && *end != NULL && !(*end)->begun) {
    extend(queue, *end, snapshot);
  } else {
    struct ship_period *period = calloc(1, sizeof *period);
    if (period == NULL)
      return false;
    period->base = refer(base);
    period->now = refer(snapshot);
    period->from = base == NULL ? from : base->time;
    *(*end == NULL ? end : &(*end)->next) = period;
    queue->count++;
    queue->length += snapshot->length;
  }
  ship_snapshot_free(queue->last);
  queue->last = snapshot;
  return true;
}

/* ---- parts ---- */

bool
ship_period_open(struct ship_period *period, const struct ship_target *target,
                 char *message)
{
  if (period->heap != NULL)
    return true;
  void *now =
      mprof_profile_open_octets(period->now->octets, period->now->length);
  void *base = period->base == NULL
                   ? NULL
                   : mprof_profile_open_octets(period->base->octets,
                                               period->base->length);
  if (now != NULL && (base != NULL || period->base == NULL))
    period->heap = mprof_heap_open(now, base, 0);
  mprof_profile_close(now);
  mprof_profile_close(base);
  /* What went wrong is said when something is written. */
  void *result = mprof_heap_write(period->heap, 0, 0, 0, 0, 0);
  const bool good = mprof_result_status(result) == 0;
  if (good)
    mprof_heap_choose(period->heap, HEAP_ALL, 1,
                      target->protocol == SHIP_OTEL ? target->comments
                                                    : NULL);
  else
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s",
             mprof_result_error(result));
  mprof_result_free(result);
  return good;
}

/* As of when it is: its end, unless nobody would take that any more. */
static int64_t
time_of(const struct ship_period *period)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t nanos = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  return period->begun && period->now->time < nanos - oldest_nanos
             ? nanos
             : period->now->time;
}

static bool
write_profile(struct ship_parcel *parcel, int i,
              const struct ship_period *period, int64_t duration)
{
  void *result = mprof_heap_write(period->heap, period->sent, parcel->samples,
                                  0, parcel->part.until, duration);
  parcel->results[i] = result;
  parcel->part.profiles[i].octets = mprof_result_output(result);
  parcel->part.profiles[i].length = mprof_result_length(result);
  return mprof_result_status(result) == 0;
}

/* How many bytes a file of gzip has in it, which its end says. */
static uint32_t
uncompressed(const char *octets, size_t length)
{
  uint32_t size = 0;
  for (size_t i = 1; length >= 4 && i <= 4; i++)
    size = size << 8 | (unsigned char)octets[length - i];
  return size;
}

static bool
write_parcel(struct ship_parcel *parcel, const struct ship_period *period,
             const struct ship_target *target)
{
  const int64_t duration = parcel->part.until - parcel->part.from;
  if (target->protocol != SHIP_PARCA)
    return write_profile(parcel, 0, period, duration);
  mprof_heap_choose(period->heap, HEAP_ALLOC, 1, NULL);
  if (!write_profile(parcel, 0, period, duration))
    return false;
  mprof_heap_choose(period->heap, HEAP_INUSE, 1, NULL);
  return mprof_heap_sum(period->heap, HEAP_INUSE_OBJECTS, period->sent,
                        parcel->samples) == 0 ||
         write_profile(parcel, 1, period, 0);
}

static void
release_results(struct ship_parcel *parcel)
{
  for (int i = 0; i < 2; i++) {
    mprof_result_free(parcel->results[i]);
    parcel->results[i] = NULL;
    parcel->part.profiles[i].length = 0;
  }
}

bool
ship_parcel_init(struct ship_parcel *parcel, const struct ship_period *period,
                 const struct ship_target *target, uint64_t most,
                 char *message)
{
  const uint64_t left = mprof_heap_samples(period->heap) - period->sent;
  *parcel = (struct ship_parcel){.samples = left < most ? left : most};
  parcel->part.until = time_of(period);
  parcel->part.from = period->from < parcel->part.until
                          ? period->from
                          : parcel->part.until - 1; /* 0 would be a sum */
  for (;; parcel->samples /= 2) {
    if (!write_parcel(parcel, period, target)) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s",
               mprof_result_error(parcel->results[0]));
      return false;
    }
    if (parcel->samples <= 1 ||
        uncompressed(parcel->part.profiles[0].octets,
                     parcel->part.profiles[0].length) <= most_octets)
      break;
    release_results(parcel);
  }
  parcel->allocations = (uint64_t)mprof_heap_sum(
      period->heap, HEAP_ALLOC_OBJECTS, period->sent, parcel->samples);
  parcel->bytes = (uint64_t)mprof_heap_sum(period->heap, HEAP_ALLOC_SPACE,
                                           period->sent, parcel->samples);
  return true;
}

void
ship_parcel_release(struct ship_parcel *parcel)
{
  release_results(parcel);
}
