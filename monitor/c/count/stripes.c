/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/count/stripes.h"

#include "image/arena.h"
#include "image/image.h"

/* The limit of a stripe that alone is open, and of one that is closed. */
#define NO_LIMIT (INT64_MAX / 2)
#define CLOSED (INT64_MIN / 2)

struct stripes stripes = {.used = 1,
                          .epoch = 1,
                          .recent_count = 1,
                          .stripe = {{.limit = NO_LIMIT, .open = true}}};

/* Threads have stripes of their own after so many waits for the first one,
 * and share that again after as many limits that were reached, each less than
 * SOON allocations after the one before in its stripe. */
enum { MOST_EVENTS = 64, SOON = 16 };

/* What is not in the image. */
static struct {
  unsigned events;  /* waits, or once limits are shared out limits reached,
                       in a row; atomic */
  uint32_t numbers; /* of threads: a bit for each that is taken.  Threads come
                       and go while the stripes move into an image */
  struct arena arenas[STRIPES]; /* of the counters of each.  The child of a
                                   fork finds here what it has, and in the
                                   stripes what its parent has by now */
} sharing = {.numbers = 1};

/* Returns the arena of the counters of the stripe. */
static struct arena *
arena_of(const struct stripe *s)
{
  return &sharing.arenas[s - stripes.stripe];
}

/* ---- limits ---- */

/* Begins a new peak if there is one, and shares out the limits anew.  All are
 * locked. */
static void
rebalance(void)
{
  const uint64_t peak = stripes.peak;
  int64_t open = 0, live = 0;
  COMPILER_BARRIER();
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    live += s->live;
    open += s->open;
  }
  if (live > (int64_t)stripes.peak_bytes) {
    stripes.peak = peak + 1; /* no counters have figures of it */
    COMPILER_BARRIER();
    stripes.peak_bytes = (uint64_t)live;
  }
  __atomic_store_n(&stripes.live_elsewhere,
                   open == 1 ? live - stripes.stripe[0].live : SHARED_OUT,
                   __ATOMIC_RELAXED);
  const int64_t share = ((int64_t)stripes.peak_bytes - live) / open;
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    s->limit = !s->open ? CLOSED : open == 1 ? NO_LIMIT : s->live + share;
}

/* ---- locks ---- */

void
stripes_lock(void)
{
  /* Whoever makes another one used has locked the first one, so there are no
     more of them once that is locked here. */
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    spin_lock(&s->lock);
}

void
stripes_unlock(void)
{
  if (stripes.rebalance_again) {
    stripes.rebalance_again = false;
    rebalance();
  }
  for (uint32_t i = stripes.used; i-- > 0;)
    spin_unlock(&stripes.stripe[i].lock);
}

/* Returns a bit for each stripe that this thread has locked. */
static uint32_t
stripes_held(void)
{
  uint32_t held = 0;
  const uint32_t used = (uint32_t)(stripes_end() - stripes.stripe);
  for (uint32_t i = 0; i < used; i++)
    held |= (uint32_t)spin_holds(&stripes.stripe[i].lock) << i;
  return held;
}

/* Returns true if these bits are of all stripes that are used. */
static bool
are_all(uint32_t held)
{
  return held + 1 == UINT32_C(1) << (stripes_end() - stripes.stripe);
}

void
stripes_settle(struct stripe *s)
{
  if (are_all(stripes_held())) {
    rebalance();
    stripes.rebalance_again = true; /* what was interrupted may be this */
  } else if (s == stripes.stripe) {
    stripe_grow(s);
  }
}

/* ---- counts that were left ---- */

void
stripes_recover(void)
{
  const uint32_t held = stripes_held();
  for (uint32_t i = 0; i < stripes.used; i++)
    if ((held >> i & 1) != 0 && stripes.stripe[i].counters != NULL)
      stripe_complete(&stripes.stripe[i], stripes.stripe[i].counters,
                      stripes.leaves);
  if (are_all(held))
    rebalance();
  else if ((held & 1) != 0)
    stripe_grow(stripes.stripe);
  for (uint32_t i = 0; i < STRIPES; i++)
    if ((held >> i & 1) != 0)
      spin_unlock(&stripes.stripe[i].lock);
}

/* ---- use ---- */

/* Puts the counters of a stripe, of which USED bytes may not be zero, into
 * the image.  Returns false if the image is full. */
static bool
map(const struct stripe *s, size_t used)
{
  return image_map(arena_of(s), used, IMAGE_COUNTERS,
                   (uint32_t)(s - stripes.stripe) + 1, sizeof *s->counters);
}

void
stripes_map(void)
{
  const struct arena all = {.base = &stripes,
                            .reserved_bytes = sizeof stripes};
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    if (s->counters != NULL)
      map(s, arena_of(s)->reserved_bytes);
  image_map(&all, sizeof stripes, IMAGE_STRIPES, image_owner(),
            sizeof stripes);
}

static bool
reserve(struct stripe *s, uint32_t leaves)
{
  struct arena *const arena = arena_of(s);
  if (arena_reach(arena, leaves * sizeof *s->counters) != 0)
    return false;
  if (s->counters == NULL && !map(s, 0)) {
    arena_release(arena);
    return false;
  }
  s->counters = arena->base;
  return true;
}

bool
stripes_reserve(uint32_t leaves, uint32_t most)
{
  bool reserved = true;
  stripes_lock();
  for (uint32_t i = 0; i < STRIPES; i++)
    sharing.arenas[i].most = most * sizeof(struct leaf_counters);
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    reserved = reserved && reserve(s, leaves);
  if (reserved)
    stripes.leaves = leaves;
  stripes_unlock();
  return reserved;
}

/* ---- one for all threads, or one for each ---- */

/* Returns whether there were enough events for a change.  Without a lock. */
static bool
add_event(void)
{
  return __atomic_add_fetch(&sharing.events, 1, __ATOMIC_RELAXED) >=
         MOST_EVENTS;
}

static void
forget_events(void)
{
  __atomic_store_n(&sharing.events, 0, __ATOMIC_RELAXED);
}

/* Returns true if threads have stripes of their own.  Without a lock. */
static bool
are_shared_out(void)
{
  return __atomic_load_n(&stripes.live_elsewhere, __ATOMIC_RELAXED) ==
         SHARED_OUT;
}

void
stripes_open_own(struct stripe_user *user)
{
  struct stripe *const s = &stripes.stripe[user->number];
  if (user->number == 0 || !reserve(s, stripes.leaves))
    return;
  while (stripes.used <= user->number) {
    __atomic_store_n(&stripes.used, stripes.used + 1, __ATOMIC_RELEASE);
    spin_lock(&stripes.stripe[stripes.used - 1].lock); /* as all others */
  }
  s->open = true;
  user->stripe = s;
  rebalance();
}

void
stripes_close_others(void)
{
  for (uint32_t i = 1; i < stripes.used; i++)
    stripes.stripe[i].open = false;
  rebalance();
  forget_events();
}

void
stripes_pass_limit(struct stripe *s)
{
  const bool soon = s->count - s->limited < SOON;
  s->limited = s->count;
  if (!soon)
    forget_events();
  if (are_shared_out() && soon && add_event())
    stripes_close_others();
  else
    rebalance();
}

/* Opens a stripe of its own for a thread that has to wait for the first one,
 * if that happens often or others have theirs. */
static void
handle_contention(struct stripe_user *user)
{
  if (!are_shared_out() && !add_event())
    return;
  stripes_lock();
  forget_events();
  stripes_open_own(user);
  stripes_unlock();
}

struct stripe *
stripes_lock_mine(struct stripe_user *user)
{
  struct stripe *const first = stripes.stripe;
  if (user->stripe == first && user->number != 0) {
    if (spin_try_lock(&first->lock))
      return first;
    handle_contention(user);
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

void
stripes_join(struct stripe_user *user)
{
  const uint32_t number = (uint32_t)__builtin_ctz(~sharing.numbers);
  *user = (struct stripe_user){.stripe = stripes.stripe};
  if (number < STRIPES) {
    user->number = number;
    sharing.numbers |= UINT32_C(1) << number;
  }
}

void
stripes_leave(struct stripe_user *user)
{
  if (user->stripe != stripes.stripe) {
    stripes_lock();
    user->stripe->open = false;
    rebalance();
    stripes_unlock();
  }
  if (user->number != 0)
    sharing.numbers &= ~(UINT32_C(1) << user->number);
}

/* ---- another beginning ---- */

void
stripes_next_generation(void)
{
  __atomic_store_n(&stripes.generation, stripes.generation + 1,
                   __ATOMIC_RELEASE);
}

void
stripes_forget(void)
{
  __atomic_store_n(&stripes.epoch, stripes.epoch % EPOCH_MOST + 1,
                   __ATOMIC_RELEASE);
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    if (s->counters != NULL)
      arena_clear(arena_of(s));
    s->live = 0;
    s->count = s->freed_count = 0;
  }
  stripes.peak_bytes = stripes.peak = 0;
  stripes_next_generation();
  rebalance();
}

void
stripes_forked(uint32_t leaves)
{
  stripes.stripe[0].lock.holder = 0;
  for (uint32_t i = 1; i < STRIPES; i++) {
    arena_release(&sharing.arenas[i]);
    stripes.stripe[i] = (struct stripe){0};
  }
  arena_shorten(&sharing.arenas[0], leaves * sizeof(struct leaf_counters));
  stripes.stripe[0].counters = sharing.arenas[0].base;
  stripes.leaves = (uint32_t)(sharing.arenas[0].reserved_bytes /
                              sizeof(struct leaf_counters));
  stripes.used = sharing.numbers = 1;
  forget_events();
  stripes.search.state = SEARCH_NONE;
  stripes_forget();
}
