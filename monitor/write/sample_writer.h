/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.h -- the trees of the monitor as the samples of a profile.
 *
 * A leaf becomes a sample of objects, a context that was entered one of
 * activations.  The calls that a leaf counts stand in the same sample when
 * its chain is theirs, else (the call was folded) in one of their own.
 *
 * Cost: the length of all chains, with no look-up and no allocation of memory
 * for the single sample.
 */
#ifndef MPROF_SAMPLE_WRITER_H
#define MPROF_SAMPLE_WRITER_H

#include <stdint.h>

#include "write/number_map.h"
#include "write/profile_output.h"
#include "write/profile_writer.h"

struct sample_writer {
  struct profile_output *output;
  struct number_map *locations;  /* site -> number, in order of use */
  uint64_t unattributed_count, unattributed_bytes; /* so far */
  uint64_t classless_count;      /* objects of a class that has no name */
};

/* Write the samples of one tree. */
void sample_writer_put(struct sample_writer *writer,
                       const struct thread_figures *thread);

#endif
