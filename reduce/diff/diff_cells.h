/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tables of a comparison have in common: changes as cells, and what
 * both sides know.
 */

#ifndef MPROF_DIFF_CELLS_H
#define MPROF_DIFF_CELLS_H

#include "diff/diff.h"
#include "tables/text_table.h"

/* The difference of A and B, whichever is larger. */
uint64_t diff_distance(uint64_t a, uint64_t b);

/* "+12" or "-3"; nothing for no change. */
void diff_add_change(struct text_table *table, uint64_t old, uint64_t new);

/* The change in per cents of OLD, with one decimal, to the nearest, halves
 * away from zero; nothing without an old figure. */
void diff_add_percent(struct text_table *table, uint64_t old, uint64_t new);

/* Whether both sides say what MEASURE counts; count objects; count calls. */
bool diff_knows(const struct diff *diff, enum measure measure);
bool diff_knows_allocs(const struct diff *diff);
bool diff_knows_calls(const struct diff *diff);

#endif
