/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.h -- the names of holders (holders.h), and what each is.
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *     (VECTOR T) by MY-APP::LOAD     what a function allocated
 */
#ifndef MPROF_HOLDER_NAMES_H
#define MPROF_HOLDER_NAMES_H

#include <stdint.h>

#include "holders/holders.h"

struct holder_names { /* all zero but for the first */
  struct holders *holders;
  struct arena of_leaves; /* uint32_t by leaf: the number of its holder */
  struct intern_table of_types; /* what an uncounted object is -> ... */
  struct arena of_type;         /* ... uint32_t: the number of its holder */
};

/* A leaf of all threads, which have theirs one after the other. */
struct holder_leaf {
  const struct thread_state *thread;
  const struct leaf *leaf;
};

/* The number of a holder, a new one when it is new; 0: there is no memory.
 * Of objects that were counted at a leaf, of one that was not, of a root, and
 * of what two roots and perhaps others hold; `b' may be `a'. */
uint32_t holder_of_leaf(struct holder_names *names, uint32_t leaf);
uint32_t holder_of_object(struct holder_names *names,
                          const struct heap_object *object);
uint32_t holder_of_root(struct holder_names *names, const struct root *root);
uint32_t holder_of_both(struct holder_names *names, uint32_t a, uint32_t b,
                        bool others);

/* The number of the first leaf of a thread. */
uint32_t holder_first_leaf(const struct thread_state *thread);

void holder_names_release(struct holder_names *names);

#endif
