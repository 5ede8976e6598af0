/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ledger_fixture.h -- the counters of threads, beside a model that is one
 * plain list of all events.  The threads take turns, so there is one order.
 */
#ifndef LEDGER_FIXTURE_H
#define LEDGER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "c/count/counting.h"
#include "c/count/ledger.h"

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
allocate(struct recent_objects *recent, struct object *o, uint32_t leaf,
         size_t bytes)
{
  spin_lock(&ledger.lock);
  o->leaf = count_allocation(recent, leaf, (uintptr_t)o, bytes).leaf;
  spin_unlock(&ledger.lock);
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
end_counted(struct recent_objects *recent, struct object *o)
{
  spin_lock(&ledger.lock);
  count_end(recent, (uintptr_t)o, o->leaf, o->bytes);
  spin_unlock(&ledger.lock);
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
end(struct recent_objects *recent, struct object *o)
{
  model_end(owned_leaf_number(o->leaf), o->bytes);
  end_counted(recent, o);
}

/* Returns the figures of a leaf.  Under the lock. */
static inline struct figures
figures_of(uint32_t leaf)
{
  struct leaf_counters counters = ledger.counters[leaf];
  ledger_keep_peak(&counters);
  return (struct figures){counters.allocated.count, counters.allocated.bytes,
                          counters.freed.count,     counters.freed.bytes,
                          counters.at_peak.count,   counters.at_peak.bytes};
}

static inline void
compare(void)
{
  uint64_t count = 0;
  spin_lock(&ledger.lock);
  assert_int_equal(ledger.peak_bytes, model.peak_bytes);
  for (uint32_t i = 1; i < LEAVES; i++) {
    const struct figures got = figures_of(i);
    assert_memory_equal(&got, &model.leaves[i], sizeof got);
    count += got.count;
  }
  spin_unlock(&ledger.lock);
  assert_int_equal(ledger.count, count);
}

static struct recent_objects threads[3];

/* All is as at the beginning. */
static inline void
begin(void)
{
  memset(&model, 0, sizeof model);
  memset(objects, 0, sizeof objects);
  ledger_forked();
  assert_true(ledger_reserve(LEAVES));
  for (int i = 0; i < 3; i++)
    recent_objects_join(&threads[i]);
}

static inline void
step(struct recent_objects *recent, unsigned rising)
{
  struct object *o = &objects[any() % OBJECTS];
  if (o->leaf == 0 && any() % 10 < rising) {
    const uint32_t leaf = 1 + (uint32_t)(any() % (LEAVES - 1));
    const size_t bytes = any() % 100 == 0 ? any() % 100000 : any() % 300;
    allocate(recent, o, leaf, bytes);
    model_allocate(leaf, bytes);
  } else if (o->leaf != 0 && any() % 10 >= rising) {
    end(recent, o);
  }
}

#endif
