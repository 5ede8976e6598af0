/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_deaths.h -- how many collections the objects of one thread had
 * survived when they were found dead, by leaf.
 *
 * Model.  An entry (live_table.h) has its age: so many collections it has
 * survived.  Ages are taken together in bands: 0, 1, 2 to 3, 4 to 7, 8 and
 * more.  When the entry leaves, its object and its bytes are added to those
 * of its leaf and band.  Nothing is noted of the first band, in which most
 * die: it is what was allocated at the leaf without all else.  An object that
 * was freed explicitly has its entry until the next collection, and so its
 * age.
 *
 * All is done with the collector's lock.  Memory comes from an arena, 64
 * bytes a leaf; deaths for which there is none count as if in the first band,
 * and are counted (live_table.misplaced).
 */
#ifndef MPROF_LIVE_DEATHS_H
#define MPROF_LIVE_DEATHS_H

#include <stdint.h>

#include "common/pprof_format.h"
#include "lisp/live/live_table.h"

enum { LIVE_BANDS = PPROF_SURVIVAL_BANDS };

/* Objects and their bytes. */
struct live_count {
  uint64_t objects, bytes;
};

/* Of one leaf, by band: what died, and what is alive, or new (the first one).
 * In the order of enum pprof_column. */
struct live_survival {
  struct live_count died[LIVE_BANDS], alive[LIVE_BANDS];
};

static inline unsigned
live_band(uint64_t age)
{
  const unsigned band = age == 0 ? 0 : 64 - (unsigned)__builtin_clzll(age);
  return band < LIVE_BANDS ? band : LIVE_BANDS - 1;
}

static inline void
live_count_add(struct live_count *c, const struct live_entry *e)
{
  c->objects += LIVE_KIND(e->memory) == LIVE_OBJECT;
  c->bytes += live_entry_bytes(e);
}

/* Of one leaf, by band but for the first. */
struct live_deaths {
  struct live_count counts[LIVE_BANDS - 1];
};

/* Those of a leaf that has none yet; NULL: there is no memory. */
struct live_deaths *live_deaths_reach(struct live_table *, uint32_t leaf);

/* How many leaves have any. */
static inline size_t
live_deaths_count(const struct live_table *t)
{
  return t->deaths.reserved_bytes / sizeof(struct live_deaths);
}

/* Those of a leaf; NULL: there is no memory. */
static inline struct live_deaths *
live_deaths_of(struct live_table *t, uint32_t leaf)
{
  return __builtin_expect(leaf < live_deaths_count(t), 1)
             ? (struct live_deaths *)t->deaths.base + leaf
             : live_deaths_reach(t, leaf);
}

/* The entry, of age 1 or more, is dead. */
static inline void
live_deaths_add(struct live_table *t, const struct live_entry *e)
{
  struct live_deaths *const d = live_deaths_of(t, e->leaf / LIVE_LEAF_UNITS);
  if (d != NULL)
    live_count_add(&d->counts[live_band(LIVE_AGE(e->memory)) - 1], e);
  else
    t->misplaced++;
}

/* Add all to `sums', by leaf. */
void live_deaths_sum(const struct live_table *, struct live_survival *sums);

#endif
