/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other-stacks.c -- for other-stacks.lisp: coroutines, and signal handlers that
 * have a stack of their own.
 */
#include <gc/gc.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "stacks.h"

typedef long callback(long);

struct coroutine {
  ucontext_t here, resumer;
  char *memory;
  callback *f;
  long n;
  int ended;
  struct lisp_stacks lisp; /* when it yielded last */
};

static struct coroutine *current;

void
coroutine_main(void)
{
  struct coroutine *c = current;
  c->f(c->n);
  c->ended = 1;
  swapcontext(&c->here, &c->resumer);
}

/* A coroutine that will call `f', on the stack of `old' if that is not NULL;
 * NULL: there is no room. */
struct coroutine *
coroutine_new(callback *f, long n, long above, struct coroutine *old)
{
  struct coroutine *c = old != NULL ? old : malloc(sizeof *c);
  char *memory = old != NULL ? old->memory : stack_elsewhere(above);
  if (c == NULL || memory == NULL)
    return NULL;
  if (old == NULL)
    GC_disable();
  *c = (struct coroutine){ .memory = memory, .f = f, .n = n };
  getcontext(&c->here);
  c->here.uc_stack.ss_sp = memory;
  c->here.uc_stack.ss_size = STACK_BYTES;
  makecontext(&c->here, coroutine_main, 0);
  return c;
}

void
coroutine_free(struct coroutine *c)
{
  munmap(c->memory, STACK_BYTES);
  free(c);
  GC_enable();
}

/* Whether it has come to another yield.  Its Lisp frames are on the stacks of
 * the thread in which it began, which waits while another resumes it: there
 * ECL 24.5.10 looks whether the tops are those that it left. */
long
coroutine_resume(struct coroutine *c)
{
  const cl_env_ptr env = ecl_process_env();
  struct coroutine *outer = current;
  const struct lisp_stacks lisp = lisp_stacks(env),
                           first = lisp_stacks(
                               c->lisp.env != NULL ? c->lisp.env : env);
  char *limit = stack_enter(env, c->memory);
  if (c->lisp.env != NULL)
    lisp_stacks_put_back(&c->lisp);
  current = c;
  swapcontext(&c->resumer, &c->here);
  current = outer;
  lisp_stacks_put_back(&first);
  lisp_stacks_put_back(&lisp);
  env->CS_LIMIT = limit;
  return !c->ended;
}

void
coroutine_yield(void)
{
  struct coroutine *c = current;
  if (c->lisp.env == NULL)
    c->lisp.env = ecl_process_env();
  c->lisp = lisp_stacks(c->lisp.env);
  swapcontext(&c->here, &c->resumer);
}

/* ---- signals ---- */

static callback *handler;
static long handler_argument, handler_result;

void
handle_signal(int signal)
{
  (void)signal;
  handler_result = handler(handler_argument);
}

/* The thread interrupts itself; its handler calls `f' on another stack. */
long
call_in_handler(callback *f, long n, long above)
{
  const cl_env_ptr env = ecl_process_env();
  const stack_t other = { .ss_sp = stack_elsewhere(above),
                          .ss_size = STACK_BYTES };
  struct sigaction action = { .sa_handler = handle_signal,
                              .sa_flags = SA_ONSTACK },
                   action_before;
  stack_t stack_before;
  char *limit;
  if (other.ss_sp == NULL)
    return -1;
  GC_disable();
  sigaltstack(&other, &stack_before);
  sigaction(SIGUSR2, &action, &action_before);
  handler = f;
  handler_argument = n;
  limit = stack_enter(env, other.ss_sp);
  raise(SIGUSR2);
  env->CS_LIMIT = limit;
  sigaction(SIGUSR2, &action_before, NULL);
  sigaltstack(&stack_before, NULL);
  munmap(other.ss_sp, STACK_BYTES);
  GC_enable();
  return handler_result;
}
