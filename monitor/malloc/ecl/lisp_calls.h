/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_calls.h -- what the calls in code that was compiled say of functions:
 * those which left their frame to another one, and local ones.
 *
 * Tail calls.  A function that ends in a call jumps, and what it calls
 * returns to its caller.  But there the call has its address: where that is
 * not what runs below, it was called, too, and is put between.  (Only the
 * first of several that jumped is known.)
 *
 * Local functions have no names.  Which function made an object of one, has
 * it in it.  Of others no object is made: they are called by the function
 * that they are in, or by what else is in that, directly.
 *
 * All that is in the code is read in the end, before ECL closes its
 * libraries.
 */
#ifndef MPROF_LISP_CALLS_H
#define MPROF_LISP_CALLS_H

#include <stdint.h>

/* The process is at its regular end: read what calls there were, and name
 * local functions.  Methods have their names. */
void lisp_calls_read(void);

/* What the function that was called at `site', by the one with that number,
 * is in the tree, if it left its frame to the function `callee', or to an
 * allocator (0); 0: it did not, or is not known. */
uint64_t lisp_calls_between(uint64_t site, uint32_t function,
                            uint32_t callee);

#endif
