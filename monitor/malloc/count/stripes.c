/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes.c -- see stripes.h.
 */
#include "malloc/count/stripes.h"

#include "tree/image.h"

/* The limit of a stripe that alone is open, and of one that is closed. */
#define NO_LIMIT (INT64_MAX / 2)
#define CLOSED (INT64_MIN / 2)

struct stripes stripes = {.used = 1,
                          .open = 1,
                          .recent_count = 1,
                          .stripe = {{.limit = NO_LIMIT, .open = true}}};

/* Of threads: a bit for each that is taken.  Threads come and go while the
 * stripes move into an image, so it is not among these. */
static uint32_t numbers = 1;

/* ---- locks ---- */

/* The first one is locked by whoever makes another one used, so there are no
 * more of them once that is locked here. */
void
stripes_lock(void)
{
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    spin_lock(&s->lock);
}

void
stripes_unlock(void)
{
  if (stripes.settle_again) {
    stripes.settle_again = false;
    stripes_settle();
  }
  for (uint32_t i = stripes.used; i-- > 0;)
    spin_unlock(&stripes.stripe[i].lock);
}

/* ---- ceilings ---- */

/* What cannot be divided, the first one has. */
void
stripes_settle(void)
{
  uint32_t open = 0;
  int64_t live = 0, spare, share;
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    live += s->live;
    open += s->open;
  }
  stripes.open = open;
  if (live > (int64_t)stripes.peak_bytes) {
    stripes.peak++; /* no life has figures of it */
    STRIPE_STEP();
    stripes.peak_bytes = (uint64_t)live;
  }
  stripes.elsewhere = live - stripes.stripe[0].live;
  spare = (int64_t)stripes.peak_bytes - live;
  share = spare / open;
  spare -= share * (open - 1);
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    s->ceiling = s->live + (s->open ? spare : 0);
    s->limit = !s->open ? CLOSED : open == 1 ? NO_LIMIT : s->ceiling;
    if (s->open)
      spare = share;
  }
}

/* ---- use ---- */

static bool
map(const struct stripe *s)
{
  return image_map(&s->arena, s->arena.reserved_bytes, IMAGE_LIVES,
                   (uint32_t)(s - stripes.stripe) + 1);
}

void
stripes_map(void)
{
  const struct arena all = {.base = &stripes,
                            .reserved_bytes = sizeof stripes};
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    if (s->lives != NULL)
      map(s);
  image_map(&all, sizeof stripes, IMAGE_STRIPES, image_owner());
}

static bool
reach(struct stripe *s, uint32_t leaves)
{
  const size_t bytes = leaves * sizeof *s->lives;
  if (s->lives != NULL)
    return arena_reach(&s->arena, bytes) == 0;
  if (arena_place(&s->arena, bytes, sizeof *s->lives << LEAF_BITS) != 0)
    return false;
  arena_wipe_on_fork(&s->arena);
  if (!map(s)) {
    arena_release(&s->arena);
    return false;
  }
  s->lives = s->arena.base;
  return true;
}

bool
stripes_reach(uint32_t leaves)
{
  bool reached = true;
  stripes_lock();
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    reached = reached && reach(s, leaves);
  if (reached)
    stripes.leaves = leaves;
  stripes_unlock();
  return reached;
}

/* ---- together, or each alone ---- */

/* So many events are enough to decide.  If one allocation of FEW is a new
 * peak, it is one of a program that grows. */
enum { EVENTS = 64, FEW = 16 };
#define ADD_EVENT() __atomic_add_fetch(&stripes.events, 1, __ATOMIC_RELAXED)

static void
look(bool apart)
{
  __atomic_store_n(&stripes.apart, apart, __ATOMIC_RELAXED);
  __atomic_store_n(&stripes.events, 0, __ATOMIC_RELAXED);
  stripes.count_then = stripes_count();
  stripes.peak_then = stripes.peak;
}

void
stripes_part(struct stripe_user *user)
{
  struct stripe *const s = &stripes.stripe[user->number];
  if (user->number == 0 || !reach(s, stripes.leaves))
    return;
  while (stripes.used <= user->number) {
    __atomic_store_n(&stripes.used, stripes.used + 1, __ATOMIC_RELEASE);
    spin_lock(&stripes.stripe[stripes.used - 1].lock); /* as all others */
  }
  s->open = true;
  user->stripe = s;
  stripes_settle();
}

void
stripes_gather(void)
{
  for (uint32_t i = 1; i < stripes.used; i++)
    stripes.stripe[i].open = false;
  stripes_settle();
  look(false);
}

void
stripes_lack_room(void)
{
  if (stripes.open == 1 || ADD_EVENT() < EVENTS)
    return;
  if (stripes_count() - stripes.count_then < EVENTS * FEW)
    stripes_gather();
  else
    look(true);
}

/* Another thread has the first one. */
static void
meet(struct stripe_user *user)
{
  if (!__atomic_load_n(&stripes.apart, __ATOMIC_RELAXED) &&
      ADD_EVENT() < EVENTS)
    return;
  stripes_lock();
  if (!stripes.apart)
    look((stripes.peak - stripes.peak_then) * FEW <
         stripes_count() - stripes.count_then);
  if (stripes.apart)
    stripes_part(user);
  stripes_unlock();
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

void
stripes_join(struct stripe_user *user)
{
  const uint32_t number = (uint32_t)__builtin_ctz(~numbers);
  *user = (struct stripe_user){.stripe = stripes.stripe};
  if (number < STRIPES) {
    user->number = number;
    numbers |= UINT32_C(1) << number;
  }
}

void
stripes_leave(struct stripe_user *user)
{
  if (user->stripe != stripes.stripe) {
    stripes_lock();
    user->stripe->open = false;
    stripes_settle();
    stripes_unlock();
  }
  if (user->number != 0)
    numbers &= ~(UINT32_C(1) << user->number);
}

/* ---- another beginning ---- */

void
stripes_unload(void)
{
  __atomic_store_n(&stripes.unloads, stripes.unloads + 1, __ATOMIC_RELEASE);
}

void
stripes_forget(void)
{
  __atomic_store_n(&stripes.epoch, stripes.epoch + 1, __ATOMIC_RELEASE);
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    if (s->lives != NULL)
      arena_clear(&s->arena);
    s->live = 0;
    s->count = s->freed_count = 0;
  }
  stripes.peak_bytes = stripes.peak = 0;
  stripes_unload();
  stripes_settle();
  look(stripes.apart);
}

void
stripes_forked(void)
{
  stripes.stripe[0].lock.holder = 0;
  for (uint32_t i = 1; i < stripes.used; i++) {
    arena_release(&stripes.stripe[i].arena);
    stripes.stripe[i] = (struct stripe){0};
  }
  stripes.used = stripes.open = 1;
  numbers = 1;
  stripes.apart = false;
  stripes.search.state = SEARCH_NONE;
  stripes_forget();
}

/* ---- sums ---- */

uint64_t
stripes_count(void)
{
  uint64_t sum = 0;
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    sum += __atomic_load_n(&s->count, __ATOMIC_RELAXED);
  return sum;
}

static void
add_tally(struct object_count *sum, const struct object_count *tally)
{
  sum->count += tally->count;
  sum->bytes += tally->bytes;
}

void
leaf_life_add(struct leaf_life *sum, const struct leaf_life *life)
{
  add_tally(&sum->allocated, &life->allocated);
  add_tally(&sum->freed, &life->freed);
  add_tally(&sum->at_peak, &life->at_peak);
  sum->temporary_count += life->temporary_count;
}
