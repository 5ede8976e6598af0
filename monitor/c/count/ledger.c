/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/count/ledger.h"

#include "image/arena.h"
#include "image/image.h"

struct ledger ledger = {.epoch = 1, .recent_count = 1};

/* Of the counters.  The child of a fork finds here what it has, and in the
 * ledger what its parent has by now. */
static struct arena arena;

/* ---- counts that were left ---- */

/* How far a count came is seen in which of the figures are ahead of which:
 *
 *     the leaf's count         undone, as its bytes are not known
 *     and its bytes            what is live follows, and the sum of counts
 *     and the sum of counts    what is live follows
 */
static void
complete(void)
{
  struct leaf_counters *const c = ledger.counters;
  struct leaf_counters sum = {0}, *const current = &c[ledger.current_leaf];
  for (uint32_t i = LEAF_OVERFLOW; i < ledger.leaves; i++) {
    sum.allocated.count += c[i].allocated.count;
    sum.freed.count += c[i].freed.count;
    sum.allocated.bytes += c[i].allocated.bytes - c[i].freed.bytes;
  }
  if ((int64_t)sum.allocated.bytes == ledger.live) {
    current->allocated.count -= sum.allocated.count - ledger.count;
    current->freed.count -= sum.freed.count - ledger.freed_count;
  } else {
    ledger.count = sum.allocated.count;
    ledger.freed_count = sum.freed.count;
  }
  ledger.live = (int64_t)sum.allocated.bytes;
}

void
ledger_recover(void)
{
  if (!spin_holds(&ledger.lock))
    return;
  if (ledger.counters != NULL)
    complete();
  ledger_grow();
  spin_unlock(&ledger.lock);
}

bool
ledger_release(void)
{
  const bool held = spin_holds(&ledger.lock);
  if (held)
    spin_unlock(&ledger.lock);
  return held;
}

/* ---- memory ---- */

static bool
map_counters(void)
{
  return image_map(&arena, arena.reserved_bytes, IMAGE_COUNTERS, 1);
}

void
ledger_map(void)
{
  const struct arena all = {.base = &ledger, .reserved_bytes = sizeof ledger};
  if (ledger.counters != NULL)
    map_counters();
  image_map(&all, sizeof ledger, IMAGE_LEDGER, image_owner());
}

/* Makes room for the first counters. */
static bool
place(size_t bytes)
{
  if (arena_place(&arena, bytes, sizeof *ledger.counters << LEAF_BITS) != 0)
    return false;
  if (!map_counters()) {
    arena_release(&arena);
    return false;
  }
  ledger.counters = arena.base;
  return true;
}

bool
ledger_reserve(uint32_t leaves)
{
  const size_t bytes = leaves * sizeof *ledger.counters;
  spin_lock(&ledger.lock);
  const bool reserved = ledger.counters != NULL
                            ? arena_reach(&arena, bytes) == 0
                            : place(bytes);
  if (reserved)
    ledger.leaves = leaves;
  spin_unlock(&ledger.lock);
  return reserved;
}

/* ---- threads ---- */

enum { NUMBERS = 16 };
static uint32_t numbers = 1; /* a bit for each that is taken, and for 0 */

void
recent_objects_join(struct recent_objects *recent)
{
  const uint32_t number = (uint32_t)__builtin_ctz(~numbers);
  *recent = (struct recent_objects){.thread = number < NUMBERS ? number : 0};
  numbers |= UINT32_C(1) << recent->thread;
}

void
recent_objects_leave(struct recent_objects *recent)
{
  if (recent->thread != 0)
    numbers &= ~(UINT32_C(1) << recent->thread);
}

/* ---- another beginning ---- */

void
ledger_next_generation(void)
{
  __atomic_store_n(&ledger.generation, ledger.generation + 1,
                   __ATOMIC_RELEASE);
}

void
ledger_forget(void)
{
  __atomic_store_n(&ledger.epoch, ledger.epoch + 1, __ATOMIC_RELEASE);
  if (ledger.counters != NULL)
    arena_clear(&arena);
  ledger.live = 0;
  ledger.count = ledger.freed_count = 0;
  ledger.peak_bytes = ledger.peak = 0;
  ledger_next_generation();
}

void
ledger_forked(void)
{
  ledger.lock.holder = 0;
  ledger.counters = arena.base;
  ledger.leaves =
      (uint32_t)(arena.reserved_bytes / sizeof(struct leaf_counters));
  numbers = 1;
  ledger.request = 0;
  ledger.search.state = SEARCH_NONE;
  ledger_forget();
}
