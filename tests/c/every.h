/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * every.h -- of very many cases each EVERY-th alone is tried, where the
 * environment has that: with sanitizers, which take their time.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

/* Whether the next case is left out. */
static inline bool
left_out(void)
{
  static unsigned long number;
  const char *every = getenv("EVERY");
  unsigned long step = every == NULL ? 0 : strtoul(every, NULL, 10);
  return step > 1 && number++ % step != 0;
}
