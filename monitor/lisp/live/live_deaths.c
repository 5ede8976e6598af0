/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_deaths.c -- see live_deaths.h.
 */
#include "lisp/live/live_deaths.h"

#include <errno.h>

struct live_deaths *
live_deaths_reach(struct live_table *t, uint32_t leaf)
{
  const int saved = errno;
  const int grown =
      arena_grow(&t->deaths, sizeof(struct live_deaths) * (leaf + (size_t)1));
  errno = saved;
  return grown == 0 ? (struct live_deaths *)t->deaths.base + leaf : NULL;
}

void
live_deaths_sum(const struct live_table *t, struct live_survival *sums)
{
  const struct live_deaths *const all = t->deaths.base;
  for (size_t i = 0; i < live_deaths_count(t); i++)
    for (unsigned band = 0; band < LIVE_BANDS - 1; band++) {
      const struct live_count *const c = &all[i].counts[band];
      if (c->bytes == 0)
        continue;
      sums[i].died[band + 1].objects += c->objects;
      sums[i].died[band + 1].bytes += c->bytes;
    }
}
