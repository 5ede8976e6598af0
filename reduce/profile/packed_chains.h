/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packs the chains of a profile's samples, one after another, as the file has
 * them.  A chain has most of its callers in common with the one before it.
 * These stay packed, and only new frames are packed anew.
 *
 * What is hidden by default of a chain of a Lisp program is in a field of its
 * own, PPROF_SAMPLE_HIDDEN: functions of the runtime, and what is between the
 * root and a profiled body. */

#pragma once

#include "base/array.h"
#include "profile/writer.h"

/* The chain of a node, packed, the leaf first.  Both fields begin in memory
 * before what the caller's chain has of them. */
struct packed_chain {
  uint32_t node;
  bool is_rooted;               /* what runs the profiled body is in it */
  uint8_t *shown, *shown_end;   /* ids of locations that show */
  uint8_t *hidden, *hidden_end; /* runs, without the head of the first: */
  uint32_t before, run;         /* ids that show before it; its length */
};

struct packed_chains {
  const struct profile *profile;
  unsigned char *parts;        /* by location; NULL: all show */
  struct packed_chain *chains; /* of the last node and its callers, the root
                                  first */
  size_t chain_count, chain_capacity;
  struct numbers nodes; /* whose chains are to be packed, the last first */
};

/* Makes CHAINS ready for those of PROFILE, in the pool in use; hides what is
 * hidden by default, unless PLAIN. */
void packed_chains_open(struct packed_chains *chains,
                        const struct profile *profile, bool plain);

/* Appends the chain of NODE to MESSAGE, a sample, and what of it is hidden. A
 * chain of which nothing shows stays whole. */
void packed_chains_put(struct packed_chains *chains, uint32_t node,
                       struct wire_buffer *message);
