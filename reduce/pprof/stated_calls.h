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

#include "pprof/profile.h"

struct reading;

/* Whether a sample with VALUES in the columns of PROFILE, which has calls,
 * and WORDS in its row of labels says no more than how many calls its chain
 * has. */
static inline bool
states_calls(const struct profile *profile, const uint64_t *values,
             size_t words)
{
  if (words > 1)
    return false;
  for (size_t i = 0; i < profile->column_count; i++)
    if (values[i] != 0 &&
        i != (size_t)profile->column_of[COLUMN_OF_CALLS].index)
      return false;
  return true;
}

/* The same of the sample I of PROFILE; one without a chain states none. */
bool sample_states_calls(const struct profile *profile, size_t i);

/* ---- reading ---- */

struct stated_calls {
  bool active;       /* calls are left to the reader */
  uint64_t samples;  /* that stated calls */
  uint64_t *by_node; /* owned: calls + 1; 0: they are not stated */
  size_t node_count, capacity;
};

/* Finds out whether READING's file leaves calls to its reader.  False after a
 * fault, as the next two. */
bool stated_calls_init(struct stated_calls *calls, struct reading *reading);

/* Notes that a sample states VALUE for NODE; 0 says nothing. */
bool stated_calls_note(struct stated_calls *calls, struct reading *reading,
                       uint32_t node, uint64_t value);

/* Adds a sample of calls to the profile for each node that has any, when the
 * COUNT samples of the file are there; LABELS is the first word of its sets
 * of labels. */
bool stated_calls_add(const struct stated_calls *calls,
                      struct reading *reading, size_t count, uint64_t labels);

void stated_calls_release(struct stated_calls *calls);

/* ---- writing ---- */

struct calls_to_state {
  bool active; /* calls have samples of their own */
  bool all;    /* those that are sums are stated as well: that is shorter */
  uint64_t *calls, *below; /* owned, by node: its calls; the allocations below
                              it */
};

/* Chooses which calls of PROFILE are stated.  False when memory runs out;
 * release CALLS even then. */
bool calls_to_state_init(struct calls_to_state *calls,
                         const struct profile *profile);

/* What the file has as the calls of NODE; 0: nothing. */
uint64_t calls_to_state_value(const struct calls_to_state *calls,
                              size_t node);

void calls_to_state_release(struct calls_to_state *calls);

#endif
