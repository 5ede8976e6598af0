/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_deaths.c -- see live_deaths.h.
 */
#include "live/live_deaths.h"

#include <errno.h>

/* Of one leaf, by band but for the first. */
struct deaths {
  struct live_count counts[LIVE_BANDS - 1];
};

static size_t
leaf_count(const struct live_table *t)
{
  return t->deaths.reserved_bytes / sizeof(struct deaths);
}

/* Those of a leaf; NULL: there is no memory. */
static struct deaths *
deaths_of(struct live_table *t, uint32_t leaf)
{
  if (leaf >= leaf_count(t)) {
    const int saved = errno;
    const int grown =
        arena_grow(&t->deaths, sizeof(struct deaths) * (leaf + (size_t)1));
    errno = saved;
    if (grown != 0)
      return NULL;
  }
  return (struct deaths *)t->deaths.base + leaf;
}

void
live_deaths_add(struct live_table *t, const struct live_entry *e)
{
  struct deaths *const d = deaths_of(t, e->leaf / LIVE_LEAF_UNITS);
  if (d != NULL)
    live_count_add(&d->counts[live_band(LIVE_AGE(e->memory)) - 1], e);
  else
    t->misplaced++;
}

void
live_deaths_merge(struct live_table *into, const struct live_table *from,
                  const uint32_t *leaf_of)
{
  const struct deaths *const all = from->deaths.base;
  into->misplaced += from->misplaced;
  for (size_t i = 0; i < leaf_count(from); i++)
    for (unsigned band = 0; band < LIVE_BANDS - 1; band++) {
      const struct live_count *const c = &all[i].counts[band];
      struct deaths *d;
      if (c->bytes == 0)
        continue;
      d = deaths_of(into, leaf_of[i]);
      if (d != NULL) {
        d->counts[band].objects += c->objects;
        d->counts[band].bytes += c->bytes;
      } else {
        into->misplaced += c->objects;
      }
    }
}

void
live_deaths_sum(const struct live_table *t, struct live_survival *sums)
{
  const struct deaths *const all = t->deaths.base;
  for (size_t i = 0; i < leaf_count(t); i++)
    for (unsigned band = 0; band < LIVE_BANDS - 1; band++) {
      const struct live_count *const c = &all[i].counts[band];
      if (c->bytes == 0)
        continue;
      sums[i].died[band + 1].objects += c->objects;
      sums[i].died[band + 1].bytes += c->bytes;
    }
}
