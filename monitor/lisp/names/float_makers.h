/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * float_makers.h -- for what the compiler needed an object, when it had a number in a
 * variable of C.
 *
 * The runtime has the function that makes such an object under several names,
 * one for each reason (ECL_EACH_REASON in ecl/allocation_monitor.h).  For
 * floats these are allocators: no walk of the stack meets them, and so they
 * cost nothing there.  The kind of the object tells which one it was, and a
 * chain begins with it.  (Those for integers are on the stack, as their
 * callees allocate.)
 */
#ifndef MPROF_FLOAT_MAKERS_H
#define MPROF_FLOAT_MAKERS_H

/* Note for images which of them makes objects of which kind. */
void float_makers_note(void);

#endif
