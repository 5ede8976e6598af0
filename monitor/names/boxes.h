/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * boxes.h -- for what the compiler needed an object, when it had a number in a
 * variable of C.
 *
 * The runtime has the function that makes such an object under several names,
 * one for each reason (ECL_EACH_REASON in ecl/allocation_monitor.h).  For
 * floats these are allocators: no walk of the stack meets them, and so they
 * cost nothing there.  The kind of the object tells which one it was, and a
 * chain begins with it.  (Those for integers are on the stack, as their
 * callees allocate.)
 */
#ifndef MPROF_BOXES_H
#define MPROF_BOXES_H

#include <stdint.h>

/* A site in the function that made objects of that kind, which tells for what;
 * 0: nobody knows. */
uint64_t boxes_site(uint32_t what);

/* Give all of them numbers, before anybody looks for the names of functions. */
void boxes_meet(void);

#endif
