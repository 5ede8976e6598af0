/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_call.h -- is a call the last that its function makes?
 *
 * The question is put to the machine code after the call: does every way
 * from there lead to the function's return without another call?  Then that
 * activation of the function allocates nothing after this call has returned,
 * and nobody needs to know it again: its frame need not be marked (see
 * stack_walk.h).  That spares the processor a return that it cannot predict.
 * (One cons in each call within a file: 2.28 times the unpatched ECL's time
 * before, 1.64 with this and known_walk.h, in one run on a busy machine.)
 *
 * A function that calls setjmp may be entered again by a jump: none of its
 * calls is a last one (reentry.h).
 */
#ifndef MPROF_LAST_CALL_H
#define MPROF_LAST_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* The end of the code that `address' is in, 0 when it is in none. */
typedef uintptr_t last_call_end_fn(void *closure, uintptr_t address);

/* Whether the call with return address `address' is the last of its function
 * on every way.  `end_of' is asked where the code ends.  Reads some dozens of
 * instructions (about a microsecond); may run inside the hook. */
bool last_call_at(uintptr_t address, last_call_end_fn *end_of, void *closure);

#endif
