/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of rows in a table, and which of them are left out.
 *
 * Orders: by bytes, descending; by allocations, descending; by name.  Ties
 * fall to the other count, then to the row's rank (smaller first), then to
 * the name: every order is total, so that output is the same from run to
 * run.
 */

#ifndef MPROF_RANKING_H
#define MPROF_RANKING_H

#include "command/options.h"
#include "io/mprof_error.h"
#include "io/sink.h"
#include "profile/profile.h"

struct ranking_row {
  uint64_t bytes;
  uint64_t allocs;
  uint64_t rank;    /* breaks ties */
  const char *name; /* not owned */
  size_t item;      /* what the row stands for; the caller's index */
};

struct ranking {
  struct ranking_row *rows; /* owned; the rows to show come first */
  size_t count, capacity;
  size_t shown;
  uint64_t left_out_bytes; /* of the rows that are not shown */
  uint64_t left_out_allocs;
};

void ranking_init(struct ranking *ranking);
void ranking_release(struct ranking *ranking);

/* Appends ROW; false when memory runs out. */
bool ranking_add(struct ranking *ranking, struct ranking_row row);

/* Sorts all rows by KEY; SORT_DEFAULT leaves them as they were added. */
void ranking_sort(struct ranking *ranking, enum sort_key key);

/* Leaves out rows below the smallest share of TOTAL that OPTIONS ask for
 * (of bytes, or of allocations when sorted by them) and rows beyond the
 * limit.  The others keep their order. */
void ranking_cut(struct ranking *ranking, const struct figures *total,
                 const struct options *options);

/* Puts the rows that are shown back into the order of their ranks. */
void ranking_by_rank(struct ranking *ranking);

/* Whether PART is at least SHARE millionths of WHOLE. */
bool share_reached(uint64_t part, uint64_t whole, uint32_t share);

/* Writes a line that says what ranking_cut left out, if anything; ROWS is
 * what rows are called ("functions"). */
void ranking_note(const struct ranking *ranking,
                  const struct options *options, const char *rows,
                  struct sink *sink);

#endif
