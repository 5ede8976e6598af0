/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of rows in a table, and which of them are left out.
 *
 * Orders: by one of a row's figures, descending, or by name.  Ties fall to
 * the bytes, to the allocations, then to the row's rank (smaller first), then
 * to the name: every order is total, so that output is the same from run to
 * run.  Where no row has the figure that is asked for, rows are ordered by
 * bytes.  Calls that are not known come last.
 */

#pragma once

#include "analysis/view.h"
#include "base/sink.h"

struct ranking_row {
  const struct figures *figures;
  const struct figures *inclusive; /* NULL: there are none */
  const uint64_t *counts; /* by measure: what it is ranked by; NULL: one of
                             the figures */
  const char *name;
  const void *data; /* what has the fields of columns; NULL: no column has */
  uint64_t calls;   /* perhaps CALLS_UNKNOWN */
  uint64_t rank;    /* breaks ties */
  size_t item;      /* what the row stands for; the caller's index */
  bool left_out;    /* set by a table's `row': the item has no row; a ranking
                       never sets it */
  /* set when rows are sorted: by what, and what breaks ties */
  uint64_t key, bytes, allocs;
};

struct ranking {            /* all zero: empty, of bytes and allocations */
  struct ranking_row *rows; /* the rows to show come first */
  size_t count, capacity;
  size_t shown;
  enum measure bytes;  /* measure that SORT_BYTES sorts by; it breaks ties */
  bool inclusive;      /* rows are ranked by these figures if they can */
  enum sort_key order; /* that ranking_sort put the rows in */
  const char *noun;    /* of what they have; NULL: the measure's */
  uint64_t left_out_bytes; /* of the rows that are not shown */
  uint64_t left_out_allocs;
};

/* Appends ROW, which shows until ranking_cut. */
void ranking_add(struct ranking *ranking, struct ranking_row row);

/* Sorts all rows by KEY; SORT_DEFAULT stands for bytes. */
void ranking_sort(struct ranking *ranking, enum sort_key key);

/* Sorts all rows by MEASURE. */
void ranking_sort_by(struct ranking *ranking, enum measure measure);

/* Sorts all rows by key, bytes and allocs, which they have already. */
void ranking_sort_keyed(struct ranking *ranking);

/* Leaves out rows below the smallest share of TOTAL that OPTIONS ask for, and
 * rows beyond the limit.  The share is one of bytes, unless rows are sorted
 * by allocations, by inclusive bytes, or by what was kept, live at the peak
 * or temporary.  The others keep their order. */
void ranking_cut(struct ranking *ranking, const struct figures *total,
                 const struct view_options *options);

/* Puts the rows that are shown back into the order of their ranks. */
void ranking_by_rank(struct ranking *ranking);

/* Returns the measure whose figures KEY sorts by: bytes, unless it says
 * another. */
enum measure sort_measure(enum sort_key key);

/* Returns whether PART is at least SHARE millionths of WHOLE; true if WHOLE
 * is 0. */
bool share_reached(uint64_t part, uint64_t whole, uint32_t share);

/* Writes SHARE, in millionths, as per cents without a sign, with no more
 * decimals than it needs. */
void share_write(uint32_t share, struct sink *sink);

/* Writes a line that says what ranking_cut left out of a table of VIEW,
 * if anything; ROWS is what rows are called ("functions"), OBJECT what one of
 * their allocations is. */
void ranking_note(const struct ranking *ranking, const struct view *view,
                  const char *rows, const char *object, struct sink *sink);
