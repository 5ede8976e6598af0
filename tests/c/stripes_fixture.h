/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes_fixture.h -- the counters of threads, beside a model that is one
 * plain list of all events.  The threads take turns, so there is one order.
 */
#pragma once

#include "testing.h"

#include "c/count/hook.h"
#include "c/count/stripes.h"

enum { LEAVES = 40, OBJECTS = 3000 };

struct figures {
  uint64_t count, bytes, freed_count, freed_bytes, peak_count, peak_bytes;
};

static struct model {
  struct figures leaves[LEAVES];
  uint64_t live, peak_bytes;
} model;

static struct object {
  size_t bytes;
  owned_leaf leaf; /* 0: it is not there */
} objects[OBJECTS];

static uint64_t seed = 88172645463325252u;

static inline uint64_t
any(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* What the hook does. */
static inline void
allocate(struct stripe_user *user, struct object *o, uint32_t leaf,
         size_t bytes)
{
  struct stripe *s = stripes_lock_mine(user);
  if (stripe_has_room(s, bytes)) {
    o->leaf = count_allocation(user, s, leaf, (uintptr_t)o, bytes).leaf;
    stripe_grow(s);
    spin_unlock(&s->lock);
  } else {
    spin_unlock(&s->lock);
    stripes_lock();
    o->leaf = count_allocation(user, s, leaf, (uintptr_t)o, bytes).leaf;
    stripes_pass_limit(s);
    stripes_unlock();
  }
  o->bytes = bytes;
}

static inline void
model_allocate(uint32_t leaf, size_t bytes)
{
  model.leaves[leaf].count++;
  model.leaves[leaf].bytes += bytes;
  model.live += bytes;
  if (model.live > model.peak_bytes) {
    model.peak_bytes = model.live;
    for (int i = 0; i < LEAVES; i++) {
      struct figures *f = &model.leaves[i];
      f->peak_count = f->count - f->freed_count;
      f->peak_bytes = f->bytes - f->freed_bytes;
    }
  }
}

static inline void
end_counted(struct stripe_user *user, struct object *o)
{
  struct stripe *s = stripes_lock_mine(user);
  count_end(user, s, (uintptr_t)o, o->leaf, o->bytes);
  spin_unlock(&s->lock);
  o->leaf = 0;
}

static inline void
model_end(uint32_t leaf, size_t bytes)
{
  model.leaves[leaf].freed_count++;
  model.leaves[leaf].freed_bytes += bytes;
  model.live -= bytes;
}

static inline void
end(struct stripe_user *user, struct object *o)
{
  model_end(owned_leaf_number(o->leaf), o->bytes);
  end_counted(user, o);
}

/* The figures of a leaf.  All stripes are locked. */
static inline struct leaf_counters
stripes_counters(uint32_t leaf)
{
  struct leaf_counters sum = {.peak = stripes.peak};
  for (struct stripe *s = stripes.stripe; s < stripes_end(); s++)
    if (s->counters != NULL) {
      struct leaf_counters counters = s->counters[leaf];
      stripe_keep_peak(&counters);
      leaf_counters_add(&sum, &counters);
    }
  return sum;
}

static inline struct figures
figures_of(uint32_t leaf)
{
  const struct leaf_counters counters = stripes_counters(leaf);
  return (struct figures){counters.allocated.count, counters.allocated.bytes,
                          counters.freed.count,     counters.freed.bytes,
                          counters.at_peak.count,   counters.at_peak.bytes};
}

static inline void
compare(void)
{
  stripes_lock();
  assert_int_equal(stripes.peak_bytes, model.peak_bytes);
  for (uint32_t i = 1; i < LEAVES; i++) {
    const struct figures got = figures_of(i);
    assert_memory_equal(&got, &model.leaves[i], sizeof got);
  }
  stripes_unlock();
}

static struct stripe_user threads[40];

/* All is as at the beginning, with so many threads. */
static inline void
begin(int count)
{
  memset(&model, 0, sizeof model);
  memset(objects, 0, sizeof objects);
  stripes_forked(LEAVES);
  assert_true(stripes_reserve(LEAVES, LEAVES));
  for (int i = 0; i < count; i++)
    stripes_join(&threads[i]);
}

/* Each thread that has a number gets a stripe of its own. */
static inline void
part(int count)
{
  stripes_lock();
  for (int i = 0; i < count; i++)
    stripes_open_own(&threads[i]);
  stripes_unlock();
}

static inline void
gather(void)
{
  stripes_lock();
  stripes_close_others();
  stripes_unlock();
}

static inline void
step(struct stripe_user *user, unsigned rising)
{
  struct object *o = &objects[any() % OBJECTS];
  if (o->leaf == 0 && any() % 10 < rising) {
    const uint32_t leaf = 1 + (uint32_t)(any() % (LEAVES - 1));
    const size_t bytes = any() % 100 == 0 ? any() % 100000 : any() % 300;
    allocate(user, o, leaf, bytes);
    model_allocate(leaf, bytes);
  } else if (o->leaf != 0 && any() % 10 >= rising) {
    end(user, o);
  }
}
