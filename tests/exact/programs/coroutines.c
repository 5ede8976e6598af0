/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * coroutines.c -- for coroutines.lisp.  ECL keeps stacks beside that of C,
 * whose tops are to be put back when another coroutine goes on, and looks
 * whether the stack of C overflows.  The collector knows of no other stack than
 * a thread's own, so it rests while there are coroutines.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <gc/gc.h>

#include "ecl_stacks.h"

enum { STACK_BYTES = 1 << 18, STACK_MARGIN = 1 << 14 };

/* The tops of Lisp's stacks. */
struct tops {
  cl_env_ptr env;
  cl_object *top;
  struct ecl_ihs_frame *ihs_top;
};

struct coroutine {
  ucontext_t here, resumer;
  char *memory;
  long (*f)(long);
  long n;
  int ended;
  struct tops tops; /* when it yielded last, in the thread where it began */
};

static struct coroutine *current;

static struct tops
tops(cl_env_ptr env)
{
  return (struct tops){ env, env->STACK_TOP, env->IHS_TOP };
}

static void
put_back(const struct tops *t)
{
  t->env->STACK_TOP = t->top;
  t->env->IHS_TOP = t->ihs_top;
}

static void
coroutine_main(void)
{
  struct coroutine *const c = current;
  c->f(c->n);
  c->ended = 1;
  swapcontext(&c->here, &c->resumer);
}

/* Returns a coroutine that will call F with N, or NULL without memory. */
struct coroutine *
coroutine_new(long (*f)(long), long n)
{
  struct coroutine *const c = calloc(1, sizeof *c);
  char *const memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (c == NULL || memory == MAP_FAILED)
    return NULL;
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

/* Lets it go on, and returns whether it has come to another yield. */
long
coroutine_resume(struct coroutine *c)
{
  const cl_env_ptr env = ecl_process_env();
  struct coroutine *const outer = current;
  const struct tops own = tops(env),
                    first = tops(c->tops.env != NULL ? c->tops.env : env);
  char *const limit = env->CS_LIMIT;
  env->CS_LIMIT = c->memory + STACK_MARGIN;
  if (c->tops.env != NULL)
    put_back(&c->tops);
  current = c;
  swapcontext(&c->resumer, &c->here);
  current = outer;
  put_back(&first);
  put_back(&own);
  env->CS_LIMIT = limit;
  return !c->ended;
}

void
coroutine_yield(void)
{
  struct coroutine *const c = current;
  c->tops = tops(c->tops.env != NULL ? c->tops.env : ecl_process_env());
  swapcontext(&c->here, &c->resumer);
}
