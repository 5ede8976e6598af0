/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be counted of allocations, and what each is called: the one list
 * that --value, tables and all exports go by.
 */

#pragma once

#include <stdbool.h>
#include <stdint.h>

enum measure {
  MEASURE_BYTES,
  MEASURE_ALLOCS,
  MEASURE_KEPT_BYTES, /* never freed; in Lisp alive at the last collection */
  MEASURE_KEPT_ALLOCS,
  MEASURE_PEAK_BYTES, /* live when most bytes were */
  MEASURE_PEAK_ALLOCS,
  MEASURE_TEMPORARY_ALLOCS, /* freed before the next allocations */
  MEASURE_LOST_BYTES, /* of what was kept, what nothing led to at the end */
  MEASURE_LOST_ALLOCS,
  MEASURE_HELD_BYTES, /* in samples whose chains are of holders, not calls */
  MEASURE_HELD_ALLOCS,
  MEASURE_COUNT,
  /* no measures, but what Lisp calls MEASURE_KEPT_BYTES and _ALLOCS */
  MEASURE_LIVE_BYTES = MEASURE_COUNT,
  MEASURE_LIVE_ALLOCS,
  MEASURE_NAMES
};

struct measure_row {
  const char *word;  /* as --value takes it */
  const char *key;   /* of fields and columns, such as "kept_bytes" */
  const char *event; /* of callgrind's format */
  const char *noun;  /* such as "bytes kept" */
  const char *what;  /* "never freed"; NULL: all that was allocated */
  bool bytes;        /* counts bytes, not objects */
  /* measures that --value puts in the place of bytes and of allocations;
   * MEASURE_COUNT: there is no such measure */
  enum measure as_bytes, as_allocs;
  int column; /* in files by mprof: enum pprof_column */
  /* by enum language: ": ", and how to have it counted; "": nothing helps */
  const char *hint[2];
};

/* Rows by enum measure, with those for Lisp; the last is all NULL. */
extern const struct measure_row measure_rows[MEASURE_NAMES + 1];

/* Returns whether MEASURE is counted along chains of holders; all others are
 * counted along chains of calls. */
static inline bool
measure_is_held(enum measure measure)
{
  return measure == MEASURE_HELD_BYTES || measure == MEASURE_HELD_ALLOCS;
}

struct profile;

/* Returns the row of MEASURE, as programs in the language of PROFILE call it.
 */
const struct measure_row *measure_row(const struct profile *profile,
                                      enum measure measure);

/* Returns whether PROFILE has figures of MEASURE.  Bytes and allocations are
 * taken to be known always. */
bool measure_known(const struct profile *profile, enum measure measure);

/* Returns the noun for the bytes, or if BYTES is false for the allocations,
 * of PROFILE, where --value has put COUNTED in their place. */
const char *measure_noun(const struct profile *profile, enum measure counted,
                         bool bytes);
