/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_numbers.h -- which calls in a C program are made by one function,
 * so that recursion can be folded (context_tree.h).
 *
 * A function is what has one entry in the call-frame information.  Where a
 * compiler made two of one (a cold part), or where there is no information
 * and each call counts as a function, less is folded than could be, and all
 * that is folded is right.
 *
 * Runs inside the hook, under the monitor's lock.
 */
#ifndef MPROF_FUNCTION_NUMBERS_H
#define MPROF_FUNCTION_NUMBERS_H

#include <stdint.h>

/* The number of the function that returns to `site', from 1 on; 0 when there
 * is no memory. */
uint32_t function_number(uintptr_t site);

/* There is other code from `start' to `end' now. */
void function_numbers_forget(uintptr_t start, uintptr_t end);

#endif
