/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes as text, and what both sides of a comparison know. */

#include "diff/diff_cells.h"

__extension__ typedef unsigned __int128 uint128;

uint64_t
diff_distance(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

void
diff_add_change(struct text_table *table, uint64_t old, uint64_t new)
{
  if (old == new)
    text_table_skip(table, 1);
  else
    text_table_cell(table, "%c%llu", new > old ? '+' : '-',
                    (unsigned long long)diff_distance(old, new));
}

void
diff_add_percent(struct text_table *table, uint64_t old, uint64_t new)
{
  if (old == new || old == 0) {
    text_table_skip(table, 1);
    return;
  }
  uint128 tenths = ((uint128)diff_distance(old, new) * 1000 + old / 2) / old;
  if (tenths > 99999)
    text_table_cell(table, ">+9999");
  else
    text_table_cell(table, "%c%u.%u", new > old ? '+' : '-',
                    (unsigned)tenths / 10, (unsigned)tenths % 10);
}

bool
diff_knows(const struct diff *diff, enum measure measure)
{
  return reduction_knows(&diff->sides[DIFF_OLD], measure) &&
         reduction_knows(&diff->sides[DIFF_NEW], measure);
}

bool
diff_knows_allocs(const struct diff *diff)
{
  return diff->sides[DIFF_OLD].profile->gaps.countless == 0 &&
         diff->sides[DIFF_NEW].profile->gaps.countless == 0;
}

bool
diff_knows_calls(const struct diff *diff)
{
  return diff->sides[DIFF_OLD].selection.counts_calls &&
         diff->sides[DIFF_NEW].selection.counts_calls;
}
