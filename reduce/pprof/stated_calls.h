/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls of C programs, of which a file may leave most to its reader.
 *
 * A call counts once for each allocation made below it, so the calls of a
 * chain that others go through are the sum of their allocations: in the tree
 * that is one pass from the last node to the first.  A file states only those
 * that are not that sum, by samples without labels and other values
 * (mprof-formats(5), Activations); the reader adds up the others.
 *
 * What a sample states is one more than there are, so that it is not all
 * zero: other programs drop such samples.
 */

#ifndef MPROF_STATED_CALLS_H
#define MPROF_STATED_CALLS_H

#include "base/array.h"
#include "pprof/profile.h"

struct reading;

/* Whether a sample with VALUES in the columns of PROFILE, which has calls,
 * and WORDS in its row of labels says no more than how many calls its chain
 * has. */
bool states_calls(const struct profile *profile, const uint64_t *values,
                  size_t words);

/* The same of the sample I of PROFILE; one without a chain states none. */
bool sample_states_calls(const struct profile *profile, size_t i);

/* Adds a sample of calls to the profile for each node that has any, when the
 * COUNT samples of the file are there; STATED are nodes and what samples
 * state of them, LABELS is the first word of the file's sets of labels. */
void reading_add_calls(struct reading *reading, const struct numbers *stated,
                       size_t count, uint64_t labels);

/* What a file states of the calls of PROFILE, by node; 0: nothing.  *ALL gets
 * whether that is all calls, as they are. */
uint64_t *calls_to_state(const struct profile *profile, bool *all);

#endif
