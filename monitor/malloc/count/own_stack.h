/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own_stack.h -- a stack for what the monitor does in the midst of a program.
 * Where an allocation happens to be made, there may be next to none left: a
 * thread may have 16 KB of it, a coroutine or a handler of a signal less.
 */
#ifndef MPROF_OWN_STACK_H
#define MPROF_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Call `function' there, with all signals blocked: what they run would find
 * the thread on a stack that is not its own.  In a program with a collector,
 * whose signals may not be blocked (quiet.h), call it here.  False: another
 * thread is there, and it is not called. */
bool own_stack_call(void (*function)(void));

/* Where it is: what calls leave there may be addresses of objects. */
void own_stack_place(uintptr_t *start, uintptr_t *end);

/* In the child of a fork nobody is there. */
void own_stack_forked(void);

#endif
