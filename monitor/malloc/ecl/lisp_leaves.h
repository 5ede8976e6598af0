/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_leaves.h -- the numbers by which threads know leaves, when contexts
 * are retired (malloc/count/malloc_retire.h) and leaves have other numbers.
 *
 * Model.  A thread counts without a lock, so nobody else can move its
 * tallies. It goes on with the numbers that it knows, and it is kept what
 * these are by now.  When it comes to look for a leaf, with the monitor's
 * lock, it catches up: it adds its tallies up by the numbers of now, and
 * knows only these.  One that sleeps has its old ones as long as it likes.
 */
#ifndef MPROF_LISP_LEAVES_H
#define MPROF_LISP_LEAVES_H

#include "malloc/ecl/lisp_heap.h"

/* Which leaf the tally `i' of the thread is for; 0: none.  All is locked. */
static inline uint32_t
lisp_leaf(const struct lisp_thread *lisp, uint32_t i)
{
  return lisp->leaf_of == NULL ? i : lisp->leaf_of[i];
}

/* See other_heap.h. */
bool lisp_leaves_begin_renumber(void);
void lisp_leaves_renumber(const uint32_t *leaf_of, uint32_t count);

/* The thread, this one, knows leaves by the numbers of now.  Under the
 * monitor's lock; no number is in hand but that of the header. */
void lisp_leaves_catch_up(struct malloc_thread *thread,
                          struct lisp_thread *lisp);

#endif
