/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes.c -- see stripes.h.
 *
 * Not exact: where exec fails in a handler that interrupted a count of one
 * thread among several, a peak that another thread reached meanwhile may lack
 * the figures of that one leaf.
 */
#include "malloc/stripes.h"

#include <string.h>

/* The room of a stripe that is alone has no end. */
#define ALONE (INT64_MIN / 2)

struct stripes stripes = {
    .used = 1,
    .save_at = UINT64_MAX,
    .stripe = {{.recent_count = 1, .least_room = ALONE}}};

/* ---- locks ---- */

/* The first one is locked by whoever makes another one used, so there are no
 * more of them once that is locked here. */
uint32_t
stripes_lock(void)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < __atomic_load_n(&stripes.used, __ATOMIC_ACQUIRE);
       i++) {
    struct spin_lock *lock = &stripes.stripe[i].lock;
    if (spin_holds(lock))
      kept |= UINT32_C(1) << i;
    else
      spin_lock(lock);
  }
  return kept;
}

void
stripes_unlock(uint32_t kept)
{
  for (uint32_t i = stripes.used; i-- > 0;)
    if ((kept >> i & 1) == 0)
      spin_unlock(&stripes.stripe[i].lock);
}

/* ---- room ---- */

static int64_t
live_bytes(const struct stripe *s)
{
  return s->ceiling - s->room;
}

/* Gives back what is live. */
static int64_t
raise_peak(void)
{
  int64_t live = 0;
  for (uint32_t i = 0; i < stripes.used; i++)
    live += live_bytes(&stripes.stripe[i]);
  if (live > (int64_t)stripes.peak_bytes) {
    stripes.peak++; /* no life has figures of it */
    for (uint32_t i = 0; i < stripes.used; i++)
      stripes.stripe[i].peak = stripes.peak;
    STRIPE_STEP();
    stripes.peak_bytes = (uint64_t)live;
  }
  return live;
}

/* Allocations before the one at which the profile is to be written. */
static uint64_t
counts_left(void)
{
  const uint64_t count = stripes_count() + 1;
  return count < stripes.save_at ? stripes.save_at - count : 0;
}

void
stripes_settle(void)
{
  const int64_t live = raise_peak();
  const int64_t room = (int64_t)stripes.peak_bytes - live;
  const int64_t share = room / stripes.used;
  const uint64_t counts = counts_left() / stripes.used;
  int64_t first = room - share * (stripes.used - 1);
  for (uint32_t i = 0; i < stripes.used; i++, first = share) {
    struct stripe *s = &stripes.stripe[i];
    s->ceiling = live_bytes(s) + first;
    STRIPE_STEP();
    s->room = first;
    s->count_ceiling =
        stripes.save_at == UINT64_MAX ? UINT64_MAX : s->count + counts;
  }
}

uint64_t
stripes_peak_bytes(void)
{
  raise_peak(); /* if that was interrupted */
  return stripes.peak_bytes;
}

/* ---- use ---- */

static uint32_t budget; /* of leaves */

static bool
reserve_lives(struct stripe *s)
{
  if (arena_reserve(&s->arena, ((size_t)budget + 1) * sizeof *s->lives) != 0)
    return false;
  arena_wipe_on_fork(&s->arena);
  s->lives = s->arena.base;
  return true;
}

bool
stripes_open(uint32_t leaves)
{
  budget = leaves;
  for (uint32_t i = 0; i < stripes.used; i++)
    if (!reserve_lives(&stripes.stripe[i])) {
      stripes_close();
      return false;
    }
  return true;
}

void
stripes_close(void)
{
  for (uint32_t i = 0; i < stripes.used; i++) {
    arena_release(&stripes.stripe[i].arena);
    stripes.stripe[i].lives = NULL;
  }
}

/* One that nobody has used; NULL when there is none. */
static struct stripe *
begin_stripe(void)
{
  const uint32_t kept = stripes_lock();
  struct stripe *const s = &stripes.stripe[stripes.used];
  const struct stripe *const first = stripes.stripe;
  bool begun = false;
  if (stripes.used < STRIPES && first->lives != NULL && reserve_lives(s)) {
    s->number = (uint16_t)stripes.used;
    s->recent_count = first->recent_count;
    s->epoch = first->epoch;
    s->peak = stripes.peak;
    s->unloads = stripes.unloads;
    s->room = s->ceiling = 0;
    stripes.stripe[0].least_room = 0;
    s->count_ceiling = stripes.save_at == UINT64_MAX ? UINT64_MAX : 0;
    __atomic_store_n(&stripes.used, s->number + 1, __ATOMIC_RELEASE);
    begun = true;
  }
  stripes_unlock(kept);
  return begun ? s : NULL;
}

struct stripe *
stripes_join(void)
{
  struct stripe *best = stripes.stripe, *fresh;
  for (uint32_t i = 1; i < stripes.used; i++)
    if (stripes.stripe[i].threads < best->threads)
      best = &stripes.stripe[i];
  if (best->threads > 0 && (fresh = begin_stripe()) != NULL)
    best = fresh;
  best->threads++;
  return best;
}

void
stripes_leave(struct stripe *s)
{
  s->threads--;
}

void
stripes_unload(void)
{
  const uint64_t unloads = stripes.unloads + 1;
  for (uint32_t i = 0; i < stripes.used; i++)
    stripes.stripe[i].unloads = unloads;
  __atomic_store_n(&stripes.unloads, unloads, __ATOMIC_RELEASE);
}

void
stripes_look_back(unsigned count)
{
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct stripe *s = &stripes.stripe[i];
    s->recent_count =
        (uint16_t)(count < TEMPORARY_MOST ? count : TEMPORARY_MOST);
    s->recent_at = 0;
  }
}

static void
forget(struct stripe *s)
{
  arena_clear(&s->arena);
  __atomic_store_n(&s->epoch, (uint16_t)(s->epoch + 1), __ATOMIC_RELEASE);
  s->room = s->ceiling = 0;
  s->count = s->freed_count = 0;
  s->peak = 0;
  memset(s->recent, 0, sizeof s->recent);
}

void
stripes_forget(void)
{
  for (uint32_t i = 0; i < stripes.used; i++)
    forget(&stripes.stripe[i]);
  stripes.peak_bytes = stripes.peak = 0;
  stripes_unload();
  stripes_settle();
}

void
stripes_forked(void)
{
  struct stripe *const first = stripes.stripe;
  const uint16_t epoch = first->epoch;
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct stripe *s = &stripes.stripe[i];
    s->lock.holder = 0;
    s->threads = 0;
    if (i > 0) {
      arena_release(&s->arena);
      *s = (struct stripe){0};
    }
  }
  stripes.used = 1;
  first->least_room = ALONE;
  first->epoch = epoch;
  stripes_forget();
}

/* ---- sums ---- */

uint64_t
stripes_count(void)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < stripes.used; i++)
    sum += __atomic_load_n(&stripes.stripe[i].count, __ATOMIC_RELAXED);
  return sum;
}

uint64_t
stripes_events(void)
{
  uint64_t sum = stripes_count();
  for (uint32_t i = 0; i < stripes.used; i++)
    sum += __atomic_load_n(&stripes.stripe[i].freed_count, __ATOMIC_RELAXED);
  return sum;
}

struct leaf_life
stripes_life(uint32_t leaf)
{
  struct leaf_life sum = {.peak = stripes.peak};
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct leaf_life life = stripes.stripe[i].lives[leaf];
    if (life.peak != stripes.peak) {
      life.peak_count = life.count - life.freed_count;
      life.peak_bytes = life.bytes - life.freed_bytes;
    }
    sum.count += life.count;
    sum.bytes += life.bytes;
    sum.freed_count += life.freed_count;
    sum.freed_bytes += life.freed_bytes;
    sum.temporary_count += life.temporary_count;
    sum.peak_count += life.peak_count;
    sum.peak_bytes += life.peak_bytes;
  }
  return sum;
}

/* ---- interrupted counts ---- */

bool
stripes_are_interrupted(void)
{
  for (uint32_t i = 0; i < stripes.used; i++)
    if (spin_holds(&stripes.stripe[i].lock))
      return true;
  return false;
}

static void
add_life(struct leaf_life *sum, const struct leaf_life *life)
{
  sum->count += life->count;
  sum->bytes += life->bytes;
  sum->freed_count += life->freed_count;
  sum->freed_bytes += life->freed_bytes;
}

/* How far a count came is seen in which of the figures are ahead of which:
 *
 *     the life's count      undone, as its bytes are not known
 *     and its bytes         the stripe follows
 *     and the stripe's count   its room follows
 */
static void
mend(struct stripe *s, const struct context_tree *tree,
     struct stripes_interrupted *state)
{
  struct leaf_life sum = {0}, *const life = &s->lives[s->changing];
  int64_t live;
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    add_life(&sum, &s->lives[i]);
  add_life(&sum, &s->lives[tree->budget]);
  live = (int64_t)(sum.bytes - sum.freed_bytes);
  if (live == live_bytes(s) && sum.count == s->count &&
      sum.freed_count == s->freed_count)
    return;
  if (live == live_bytes(s)) {
    state->life_count = sum.count - s->count;
    state->life_freed_count = sum.freed_count - s->freed_count;
    life->count -= state->life_count;
    life->freed_count -= state->life_freed_count;
  } else {
    state->count = s->count - sum.count;
    state->freed_count = s->freed_count - sum.freed_count;
    state->room = live - live_bytes(s);
    s->count = sum.count;
    s->freed_count = sum.freed_count;
    s->room -= state->room;
  }
  state->stripe = s;
}

void
stripes_interrupt(struct stripes_interrupted *state, bool locked,
                  const struct context_tree *tree)
{
  /* Whoever has the first one after the lock waits for the others in the
   * right order. */
  const bool in_order = locked && spin_holds(&stripes.stripe[0].lock);
  *state = (struct stripes_interrupted){0};
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct stripe *s = &stripes.stripe[i];
    if (!spin_holds(&s->lock))
      continue;
    if (s->lives != NULL)
      mend(s, tree, state);
    if (!in_order) {
      state->opened |= UINT32_C(1) << i;
      spin_unlock(&s->lock);
    }
  }
}

void
stripes_resume(const struct stripes_interrupted *state)
{
  struct stripe *const s = state->stripe;
  for (uint32_t i = 0; i < STRIPES; i++)
    if ((state->opened >> i & 1) != 0)
      spin_lock(&stripes.stripe[i].lock);
  if (s != NULL) {
    struct leaf_life *life = &s->lives[s->changing];
    stripe_keep_peak(s, life);
    life->count += state->life_count;
    life->freed_count += state->life_freed_count;
    s->count += state->count;
    s->freed_count += state->freed_count;
    s->room += state->room;
  }
}
