/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several profile files as one file.
 *
 *   files -> mprof's reader -> rows (equal ones are one) -> a profile file
 *
 * Nothing that pprof's format holds is lost: mappings, locations, functions,
 * labels and columns stay, whoever wrote them; samples with equal chains and
 * labels are added up, unless the sum would say less than both.  Reading the
 * merged file gives what reading all the files at once gives, to the byte.
 *
 * Calls of C programs are written as the monitor writes them (mprof-data(5),
 * Activations), whichever way the files did: all together, or what is not the
 * sum of others, as it takes less.
 *
 * Comments of all files stay, one after the other, with mprof.files=N.  The
 * time is that of the first run, the duration the sum.  Time and memory are
 * linear in the files.
 */

#ifndef MPROF_MERGE_H
#define MPROF_MERGE_H

#include "io/input_list.h"
#include "io/mprof_error.h"
#include "io/sink.h"
#include "profile/call_sums.h"
#include "profile/profile.h"
#include "profile/row_table.h"

/* A type and a unit, name ids. */
struct merge_value_type {
  uint32_t type, unit;
};

struct merge {
  struct profile profile; /* all files read; its names are ours */
  char *first_path;       /* owned: to compare the others with; NULL: none */
  bool by_mprof;
  struct merge_value_type *columns; /* owned */
  size_t column_count;
  struct merge_value_type period_type;
  uint32_t drop_frames, keep_frames, default_type; /* name ids */
  int64_t time_nanos, duration_nanos, period;
  struct row_table mappings, functions, locations, samples;
  uint64_t *values; /* owned: by sample, column_count each */
  size_t value_capacity;
  struct call_sums calls; /* by row of location; when has_calls */
  bool has_calls;
  size_t calls_column;
};

/* False when memory runs out; release it even then. */
bool merge_init(struct merge *merge);
void merge_release(struct merge *merge);

/* Adds INPUT.  False: ERROR says why. */
bool merge_add(struct merge *merge, const struct input_name *input,
               struct mprof_error *error);

/* Writes the profile, compressed, to SINK. */
void merge_write(const struct merge *merge, struct sink *sink);

#endif
