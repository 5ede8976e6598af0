/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of a chain that show, root first: what is left of it when the
 * selection has cut and hidden what it does.
 */

#ifndef MPROF_VISIBLE_CHAIN_H
#define MPROF_VISIBLE_CHAIN_H

#include "graph/selection.h"

/* Starts zeroed; used for one sample after the other. */
struct visible_chain {
  uint32_t *frames; /* indices into the profile's frames */
  size_t count, capacity;
};

/* Takes the chain of SAMPLE in.  A COUNT of zero means that no frame shows:
 * selection_nameless says why.  False when memory runs out. */
bool visible_chain_trace(struct visible_chain *chain,
                         const struct selection *selection,
                         const struct profile_sample *sample);

void visible_chain_release(struct visible_chain *chain);

#endif
