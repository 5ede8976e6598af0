/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lookup.h -- from an allocation to its leaf in the context tree.
 */
#ifndef MPROF_LEAF_LOOKUP_H
#define MPROF_LEAF_LOOKUP_H

#include "hook/thread_state.h"

/* What the runtime's hooks tell of an allocation. */
struct allocation {
  uintptr_t frame; /* the allocator's own */
  cl_index what;   /* enum allocation_what of classify.h */
  cl_index bytes;
  cl_object clas;  /* of an instance or structure; or OBJNULL */
  bool whole;      /* no other event will tell of the same object */
};

/* What the hook is told. */
static inline struct allocation
leaf_lookup_allocation(uintptr_t frame, cl_index kind, cl_object clas)
{
  const cl_index what =
      kind & (((cl_index)1 << ECL_ALLOCATED_BYTES_SHIFT) - 1);
  const cl_index bytes = kind >> ECL_ALLOCATED_BYTES_SHIFT;
  return (struct allocation){ .frame = frame,
                              .what = what,
                              .bytes = bytes,
                              .clas = clas,
                              .whole = classify_is_whole(what, bytes) };
}

/* The leaf of objects of this kind and of `size' (see struct leaf), allocated
 * where the stack now is.  Marks the frames that may allocate again and
 * counts the activations of all that were not known.  Keeps errno.  Inside the
 * hook. */
struct leaf *leaf_lookup(struct thread_state *t, const struct allocation *a,
                         uint32_t size);

/* The same for an object of that many bytes; keeps the leaf and the walk that
 * led to it, if they can be, where the hook finds them (known_leaf.h,
 * known_walk.h). */
struct leaf *leaf_lookup_to_keep(struct thread_state *t,
                                 const struct allocation *a);

/* The leaf of such objects allocated at `site' in a function that was called
 * from the context `up'; keeps it likewise.  NULL when it cannot be kept, and
 * then nothing has changed.  Keeps errno.  Inside the hook. */
const struct known_leaf *leaf_lookup_in_context(struct thread_state *t,
                                                uintptr_t site, uint32_t up,
                                                cl_index kind,
                                                cl_object clas);

/* Drop the dead marks (marker_stack.h) that can be told at once: those whose
 * slot holds something else by now, and those above the mark of a frame that
 * is near the allocator's frame `frame'.  True when there were any. */
bool leaf_lookup_drop_dead(struct thread_state *t, uintptr_t frame);

#endif
