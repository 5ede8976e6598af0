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

/* After that: note which functions left their frame to the one that they
 * called, or to an allocator. */
void lisp_calls_note(void);

#endif
