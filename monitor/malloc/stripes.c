/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes.c -- see stripes.h.
 *
 * Not exact: where exec fails in a handler that interrupted a count of one
 * thread among several, a peak that another thread reached meanwhile may have
 * other figures of that one leaf, or not be seen.  The file says what these
 * figures add up to.
 */
#include "malloc/stripes.h"

#include <string.h>

/* The least room of a stripe that alone is open, and of one that is closed.
 */
#define ALONE (INT64_MIN / 2)
#define CLOSED (INT64_MAX / 2)

struct stripes stripes = {.used = 1,
                          .open = 1,
                          .recent_count = 1,
                          .save_at = UINT64_MAX,
                          .stripe = {{.least_room = ALONE, .open = true}}};

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

/* Sharing out was interrupted, and may have gone on with what was true
 * before.
 */
static bool settle_again;

void
stripes_unlock(uint32_t kept)
{
  if (settle_again) {
    settle_again = false;
    stripes_settle();
  }
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

/* What cannot be divided, the first one has. */
void
stripes_settle(void)
{
  const int64_t live = raise_peak();
  const int64_t room = (int64_t)stripes.peak_bytes - live;
  const int64_t share = room / stripes.open;
  const uint64_t counts = counts_left() / stripes.open;
  int64_t mine = room - share * (stripes.open - 1);
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct stripe *s = &stripes.stripe[i];
    if (!s->open)
      continue;
    s->ceiling = live_bytes(s) + mine;
    STRIPE_STEP();
    s->room = mine;
    s->count_ceiling =
        stripes.save_at == UINT64_MAX ? UINT64_MAX : s->count + counts;
    mine = share;
  }
}

/* What interrupted counts went on with. */
static bool peak_is_unsure;

static uint64_t
sum_of_peaks(const struct context_tree *tree)
{
  uint64_t sum = stripes_life(tree->budget).peak_bytes;
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    sum += stripes_life(i).peak_bytes;
  return sum;
}

uint64_t
stripes_peak_bytes(const struct context_tree *tree)
{
  raise_peak(); /* if that was interrupted */
  return peak_is_unsure ? sum_of_peaks(tree) : stripes.peak_bytes;
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
  return reserve_lives(stripes.stripe);
}

void
stripes_close(void)
{
  stripes_gather();
  for (uint32_t i = 0; i < stripes.used; i++) {
    arena_release(&stripes.stripe[i].arena);
    stripes.stripe[i].lives = NULL;
  }
}

/* ---- together, or each alone ---- */

/* The first stripe alone is open: from when on it was looked at whether it is
 * worth it to have more; and more are: the same for whether it still is. */
static struct {
  uint64_t count, peak;
  unsigned events; /* threads that had to wait; times that room was lacking */
  bool apart;      /* who has to wait gets a stripe of its own */
} policy;

enum {
  EVENTS = 64, /* are enough to decide */
  FEW = 16     /* if one allocation of so many is a new peak, it is one of a
                  program that grows */
};

static void
begin_policy(bool apart)
{
  policy.count = stripes_count();
  policy.peak = stripes.peak;
  policy.events = 0;
  policy.apart = apart;
}

static void
open_stripe(struct stripe *s)
{
  s->open = true;
  s->epoch = stripes.epoch;
  s->peak = stripes.peak;
  s->unloads = stripes.unloads;
  s->least_room = 0;
  stripes.open++;
  stripes.stripe[0].least_room = 0;
}

static void
close_stripe(struct stripe *s)
{
  s->ceiling = live_bytes(s);
  STRIPE_STEP();
  s->room = 0;
  s->least_room = CLOSED;
  s->epoch = EPOCH_OF_NONE;
  s->open = false;
  if (--stripes.open == 1)
    stripes.stripe[0].least_room = ALONE;
}

void
stripes_part(struct stripe_user *user)
{
  struct stripe *const s = &stripes.stripe[user->number];
  if (user->number == 0 || (s->lives == NULL && !reserve_lives(s)))
    return;
  if (stripes.used <= user->number)
    __atomic_store_n(&stripes.used, user->number + 1, __ATOMIC_RELEASE);
  if (!s->open)
    open_stripe(s);
  user->stripe = s;
  stripes_settle();
}

void
stripes_gather(void)
{
  for (uint32_t i = 1; i < stripes.used; i++)
    if (stripes.stripe[i].open)
      close_stripe(&stripes.stripe[i]);
  stripes_settle();
  begin_policy(false);
}

void
stripes_lack_room(void)
{
  if (stripes.open == 1 || ++policy.events < EVENTS)
    return;
  if (stripes_count() - policy.count < EVENTS * FEW)
    stripes_gather();
  else
    begin_policy(true);
}

/* Another thread has the first one. */
static void
meet(struct stripe_user *user)
{
  uint32_t kept;
  if (!policy.apart &&
      __atomic_add_fetch(&policy.events, 1, __ATOMIC_RELAXED) < EVENTS)
    return;
  kept = stripes_lock();
  if (!policy.apart)
    begin_policy((stripes.peak - policy.peak) * FEW <
                 stripes_count() - policy.count);
  if (policy.apart)
    stripes_part(user);
  stripes_unlock(kept);
}

struct stripe *
stripes_lock_mine(struct stripe_user *user)
{
  struct stripe *const first = stripes.stripe;
  if (user->stripe == first && user->number != 0) {
    if (spin_try_lock(&first->lock))
      return first;
    meet(user);
  }
  spin_lock(&user->stripe->lock);
  if (!user->stripe->open) {
    spin_unlock(&user->stripe->lock);
    user->stripe = first;
    spin_lock(&first->lock);
  }
  return user->stripe;
}

/* ---- threads ---- */

static uint32_t numbers = 1; /* a bit for each that is taken; 0 is no one's */

void
stripes_join(struct stripe_user *user)
{
  uint32_t number = 1;
  *user = (struct stripe_user){.stripe = stripes.stripe};
  while (number < STRIPES && (numbers >> number & 1) != 0)
    number++;
  if (number < STRIPES) {
    user->number = number;
    numbers |= UINT32_C(1) << number;
  }
}

void
stripes_leave(struct stripe_user *user)
{
  if (user->stripe != stripes.stripe) {
    const uint32_t kept = stripes_lock();
    if (user->stripe->open)
      close_stripe(user->stripe);
    stripes_settle();
    stripes_unlock(kept);
  }
  if (user->number != 0)
    numbers &= ~(UINT32_C(1) << user->number);
}

/* ---- another beginning ---- */

void
stripes_unload(void)
{
  const uint64_t unloads = stripes.unloads + 1;
  for (uint32_t i = 0; i < stripes.used; i++)
    stripes.stripe[i].unloads = unloads;
  __atomic_store_n(&stripes.unloads, unloads, __ATOMIC_RELEASE);
}

static void
forget(struct stripe *s)
{
  if (s->lives != NULL)
    arena_clear(&s->arena);
  s->room = s->ceiling = 0;
  s->count = s->freed_count = 0;
  s->peak = 0;
  if (s->open)
    s->epoch = stripes.epoch;
}

void
stripes_forget(void)
{
  uint16_t epoch = (uint16_t)(stripes.epoch + 1);
  if (epoch == EPOCH_OF_NONE)
    epoch = 0;
  __atomic_store_n(&stripes.epoch, epoch, __ATOMIC_RELEASE);
  for (uint32_t i = 0; i < stripes.used; i++)
    forget(&stripes.stripe[i]);
  stripes.peak_bytes = stripes.peak = 0;
  stripes_unload();
  stripes_settle();
  begin_policy(policy.apart);
}

void
stripes_forked(void)
{
  struct stripe *const first = stripes.stripe;
  first->lock.holder = 0;
  for (uint32_t i = 1; i < stripes.used; i++) {
    arena_release(&stripes.stripe[i].arena);
    stripes.stripe[i] = (struct stripe){0};
  }
  stripes.used = stripes.open = 1;
  first->least_room = ALONE;
  numbers = 1;
  policy.apart = false;
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
    struct leaf_life life;
    if (stripes.stripe[i].lives == NULL)
      continue;
    life = stripes.stripe[i].lives[leaf];
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

/* Who has all of them may have been at sharing out what there is: those that
 * it opens must be able to go on. */
void
stripes_interrupt(struct stripes_interrupted *state, bool locked,
                  const struct context_tree *tree)
{
  /* Whoever has the first one after the lock waits for the others in the
   * right order. */
  const bool in_order = locked && spin_holds(&stripes.stripe[0].lock);
  uint32_t held = 0;
  *state = (struct stripes_interrupted){0};
  for (uint32_t i = 0; i < stripes.used; i++) {
    struct stripe *s = &stripes.stripe[i];
    if (!spin_holds(&s->lock))
      continue;
    held |= UINT32_C(1) << i;
    if (s->lives != NULL)
      mend(s, tree, state);
    if (s->room < 0 && stripes.open == 1)
      stripe_grow(s);
  }
  if (held + 1 == UINT32_C(1) << stripes.used) {
    state->all = true;
    stripes_settle();
  }
  state->opened = in_order ? 0 : held;
  for (uint32_t i = 0; i < stripes.used; i++)
    if ((state->opened >> i & 1) != 0)
      spin_unlock(&stripes.stripe[i].lock);
}

void
stripes_resume(const struct stripes_interrupted *state)
{
  struct stripe *const s = state->stripe;
  for (uint32_t i = 0; i < STRIPES; i++)
    if ((state->opened >> i & 1) != 0) {
      struct stripe *opened = &stripes.stripe[i];
      spin_lock(&opened->lock);
      if (opened->lives != NULL) /* it may have been asked for before */
        stripe_keep_peak(opened, &opened->lives[opened->changing]);
      peak_is_unsure = true;
    }
  if (s != NULL) {
    struct leaf_life *life = &s->lives[s->changing];
    life->count += state->life_count;
    life->freed_count += state->life_freed_count;
    s->count += state->count;
    s->freed_count += state->freed_count;
    s->room += state->room;
  }
  settle_again |= state->all;
}
