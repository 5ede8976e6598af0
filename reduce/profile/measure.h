/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be counted of allocations, and what each is called: the one list
 * that --value and all exports go by.
 *
 * Exports that have room for one measure alone, and tables, count another one
 * by putting it in the place of what was allocated: measure_substitute.  All
 * later stages then work as ever.
 */

#ifndef MPROF_MEASURE_H
#define MPROF_MEASURE_H

#include "profile/profile.h"

enum measure {
  MEASURE_BYTES,
  MEASURE_ALLOCS,
  MEASURE_KEPT_BYTES, /* never freed */
  MEASURE_KEPT_ALLOCS,
  MEASURE_PEAK_BYTES, /* live when most bytes were */
  MEASURE_PEAK_ALLOCS,
  MEASURE_TEMPORARY_ALLOCS, /* freed before the next allocations */
  MEASURE_COUNT
};

struct measure_row {
  const char *word;  /* as --value takes it */
  const char *key;   /* of fields and columns, such as "kept_bytes" */
  const char *event; /* of callgrind's format */
  const char *noun;  /* such as "bytes kept" */
  const char *what;  /* "never freed"; NULL: all that was allocated */
  bool bytes;        /* counts bytes, not objects */
};

extern const struct measure_row measure_rows[MEASURE_COUNT];

/* Whether PROFILE says it. */
bool measure_known(const struct profile *profile, enum measure measure);

/* What bytes, or allocations, are called where COUNTED has been put in their
 * place. */
const char *measure_noun(enum measure counted, bool bytes);

uint64_t measure_of_figures(const struct figures *figures,
                            enum measure measure);

/* What SAMPLE adds to COUNTS, by enum measure. */
void measure_add_sample(uint64_t counts[MEASURE_COUNT],
                        const struct profile_sample *sample);

/* Lets the samples of PROFILE have allocated what MEASURE counts: its bytes
 * and its objects.  Temporary objects have no bytes: nobody counted them.
 * The profile then says nothing of other measures, but for its totals. */
void measure_substitute(struct profile *profile, enum measure measure);

#endif
