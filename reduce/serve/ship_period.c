/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/shipping.h"

#include "export/heap_profile.h"

#include <stdio.h>

/* Limits of Pyroscope, by pkg/validation/limits.go: it takes profiles of so
 * many bytes before compression (max-profile-size-bytes), and none that is
 * older than an hour (reject-older-than). */
static const uint32_t most_octets = 4 << 20;
static const int64_t oldest_nanos = INT64_C(1800) * 1000000000;

/* Memory in use of the new snapshot replaces that of the last one, if the
 * heap has it. */
void
ship_periods_add(struct ship_periods *periods, struct snapshot *now,
                 int64_t from)
{
  struct ship_period *period =
      periods->first.begun || periods->next.heap != NULL ? &periods->next
                                                         : &periods->first;
  struct snapshot *last = &periods->last;
  const bool same =
      last->profile != NULL && last->status.resets == now->status.resets;
  unsigned past = same ? HEAP_ALLOC : 0;
  if (period->heap != NULL) {
    past |= HEAP_INUSE;
  } else {
    period->heap = mprof_heap_open();
    period->from = same ? last->time : from;
  }
  if (period->heap == NULL) {
    mprof_profile_close(now->profile);
    return;
  }
  mprof_heap_add(period->heap, now->profile, 1, HEAP_ALL);
  if (past != 0)
    mprof_heap_add(period->heap, last->profile, -1, past);
  period->until = now->time;
  mprof_profile_close(last->profile);
  *last = *now;
}

void
ship_periods_remove_first(struct ship_periods *periods)
{
  mprof_heap_close(periods->first.heap);
  periods->first = periods->next;
  periods->next = (struct ship_period){0};
}

void
ship_periods_release(struct ship_periods *periods)
{
  mprof_heap_close(periods->first.heap);
  mprof_heap_close(periods->next.heap);
  mprof_profile_close(periods->last.profile);
}

/* ---- parts ---- */

uint64_t
ship_period_left(const struct ship_period *period)
{
  return mprof_heap_samples(period->heap) - period->sent;
}

/* Returns the time of PERIOD: its end, unless that is too old to be sent
 * again.
 */
static int64_t
time_of(const struct ship_period *period)
{
  const int64_t now = clock_nanos(CLOCK_REALTIME);
  return period->begun && period->until < now - oldest_nanos ? now
                                                             : period->until;
}

/* Writes COLUMNS as the profile I of PART. */
static bool
write_profile(struct ship_part *part, int i, const struct ship_period *period,
              const struct ship_target *target, unsigned columns)
{
  const int64_t duration = i == 0 ? part->until - part->from : 0;
  mprof_heap_choose(period->heap, columns, 1,
                    target->protocol == SHIP_OTEL ? target->labels : NULL);
  part->profiles[i] = mprof_heap_write(
      period->heap, period->sent, part->samples, 0, part->until, duration);
  return mprof_result_status(part->profiles[i]) == 0;
}

/* Returns the uncompressed size of a gzip file, which its last bytes say. */
static uint32_t
uncompressed(void *result)
{
  const char *octets = mprof_result_output(result);
  const uint64_t length = mprof_result_length(result);
  uint32_t size = 0;
  for (size_t i = 1; length >= 4 && i <= 4; i++)
    size = size << 8 | (unsigned char)octets[length - i];
  return size;
}

static bool
write_part(struct ship_part *part, const struct ship_period *period,
           const struct ship_target *target)
{
  if (target->protocol != SHIP_PARCA)
    return write_profile(part, 0, period, target, HEAP_ALL);
  return write_profile(part, 0, period, target, HEAP_ALLOC) &&
         (mprof_heap_sum(period->heap, HEAP_INUSE_OBJECTS, period->sent,
                         part->samples) == 0 ||
          write_profile(part, 1, period, target, HEAP_INUSE));
}

bool
ship_part_init(struct ship_part *part, const struct ship_period *period,
               const struct ship_target *target, uint64_t most, char *message)
{
  const uint64_t left = ship_period_left(period);
  *part = (struct ship_part){.samples = left < most ? left : most,
                             .until = time_of(period)};
  part->from = period->from < part->until
                   ? period->from
                   : part->until - 1; /* 0 would be a sum */
  for (;; part->samples /= 2) {
    if (!write_part(part, period, target)) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s",
               mprof_result_error(part->profiles[part->profiles[1] != NULL]));
      return false;
    }
    if (part->samples <= 1 || uncompressed(part->profiles[0]) <= most_octets)
      return true;
    ship_part_release(part);
  }
}

void
ship_part_release(struct ship_part *part)
{
  for (int i = 0; i < 2; i++) {
    mprof_result_free(part->profiles[i]);
    part->profiles[i] = NULL;
  }
}
