/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own_stack.c -- see own_stack.h.
 */
#include "malloc/count/own_stack.h"

#include <signal.h>
#include <ucontext.h>

#include "tree/spin_lock.h"
#include "malloc/quiet.h"

enum { STACK_BYTES = 1 << 17 }; /* of which it touches 16 KB */

static struct {
  struct spin_lock lock; /* of what follows */
  ucontext_t thread, own;
  _Alignas(64) char stack[STACK_BYTES];
} there;

bool
own_stack_call(void (*function)(void))
{
  if (GC_get_suspend_signal != NULL) {
    function();
    return true;
  }
  if (!spin_try_lock(&there.lock))
    return false;
  getcontext(&there.own);
  there.own.uc_stack.ss_sp = there.stack;
  there.own.uc_stack.ss_size = sizeof there.stack;
  there.own.uc_link = &there.thread;
  sigfillset(&there.own.uc_sigmask);
  makecontext(&there.own, function, 0);
  swapcontext(&there.thread, &there.own);
  spin_unlock(&there.lock);
  return true;
}

void
own_stack_place(uintptr_t *start, uintptr_t *end)
{
  *start = (uintptr_t)&there;
  *end = (uintptr_t)(&there + 1);
}

void
own_stack_forked(void)
{
  there.lock.holder = 0;
}
