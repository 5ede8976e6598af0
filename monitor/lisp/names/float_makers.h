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

#include <stdint.h>

struct note_list;

/* Give all of them numbers, before anybody looks for the names of functions. */
void float_makers_number(void);

/* The number of the one that makes objects of that kind; 0: there is none. */
uint32_t float_maker_of(uint32_t what);

/* Note which of them makes objects of which kind (note_list.h); of those only
 * that have a bit in `used', by their numbers, unless that is NULL. */
void float_makers_note(struct note_list *notes, const uint64_t *used);

#endif
