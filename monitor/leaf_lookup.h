/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lookup.h -- from an allocation to its leaf in the context tree.
 */
#ifndef MPROF_LEAF_LOOKUP_H
#define MPROF_LEAF_LOOKUP_H

#include "thread_state.h"

/* What the runtime's hooks tell of an allocation. */
struct allocation {
  uintptr_t frame; /* the allocator's own */
  cl_index what;   /* enum allocation_what of classify.h */
  cl_index bytes;
  cl_object clas;  /* of an instance or structure; or OBJNULL */
  bool whole;      /* no other event will tell of the same object */
};

/* The leaf of objects of this kind and of `size' (see struct leaf), allocated
 * where the stack now is.  Marks the frames that may allocate again and
 * counts the activations of all that were not known.  If the walk is one that
 * known_walk.h can repeat, *walk is filled in, else its site is 0.  Keeps
 * errno.  Inside the hook. */
struct leaf *leaf_lookup(struct thread_state *t, const struct allocation *a,
                         uint32_t size, struct known_walk *walk);

/* The leaf of such objects where objects of `leaf' are allocated.  The same
 * holds of it. */
struct leaf *leaf_lookup_again(struct thread_state *t,
                               const struct leaf *leaf, cl_index what,
                               cl_index bytes, cl_object clas);

/* Drop the dead marks (marker_stack.h) that can be told at once: those whose
 * slot holds something else by now, and those above the mark of a frame that
 * is near the allocator's frame `frame'.  True when there were any. */
bool leaf_lookup_drop_dead(struct thread_state *t, uintptr_t frame);

#endif
