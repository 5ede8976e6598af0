/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stacks.h -- what C owes to ECL, profiled or not, when it leaves Lisp frames
 * in its own way, or runs Lisp on a stack of its own.
 *
 * ECL keeps stacks beside that of C, whose tops are to be put back when frames
 * are left.  It looks whether the stack of C overflows.  And the collector
 * believes that a thread's registers and its stack as it was made are all that
 * there is, so it must not run while there are others.
 */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

#include <ecl/ecl.h>

#if ECL_VERSION_NUMBER >= 240510
# define STACK_TOP run_stack.top
# define IHS_TOP ihs_stack.top
# define CS_LIMIT c_stack.limit
#else
# define STACK_TOP stack_top
# define IHS_TOP ihs_top
# define CS_LIMIT cs_limit
#endif

/* The tops of Lisp's stacks. */
struct lisp_stacks {
  cl_env_ptr env;
  cl_object *top;
  struct ecl_ihs_frame *ihs_top;
};

static inline struct lisp_stacks
lisp_stacks(cl_env_ptr env)
{
  struct lisp_stacks s = { env, env->STACK_TOP, env->IHS_TOP };
  return s;
}

static inline void
lisp_stacks_put_back(const struct lisp_stacks *s)
{
  s->env->STACK_TOP = s->top;
  s->env->IHS_TOP = s->ihs_top;
}

enum { STACK_BYTES = 1 << 18, STACK_MARGIN = 1 << 14 };

/* Memory for a stack, at higher addresses than all of the thread's own or at
 * lower ones; NULL: there is no room. */
static inline char *
stack_elsewhere(long above)
{
  const long step = above ? 1L << 25 : -(1L << 25);
  char *at = (char *)((size_t)&step & ~(size_t)0xFFF);
  for (int i = 0; i < 1000; i++) {
    char *got = (char *)mmap(at += step, STACK_BYTES, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS |
                                 MAP_FIXED_NOREPLACE,
                             -1, 0);
    if (got == at)
      return got;
    if (got != MAP_FAILED)
      munmap(got, STACK_BYTES);
  }
  return NULL;
}

/* What runs next is on the stack at `memory'.  Gives back the limit of the
 * one before. */
static inline char *
stack_enter(cl_env_ptr env, char *memory)
{
  char *limit = env->CS_LIMIT;
  env->CS_LIMIT = memory + STACK_MARGIN;
  return limit;
}
