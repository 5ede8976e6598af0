// SPDX-License-Identifier: LGPL-2.1-or-later
//
// c-exits.cc -- for c-exits.lisp: exceptions of C++ that leave frames of Lisp
// functions, and a signal handler with its own stack.
//
// What they owe to ECL, profiled or not: ECL keeps stacks beside that of C,
// whose tops are put back when frames are left.  It looks whether the stack of
// C overflows.  And the collector knows a thread's own stack only, so it must
// not run while there are others.
#include <csignal>
#include <gc/gc.h>
#include <sys/mman.h>

#include "ecl_stacks.h"

extern "C" {

typedef long callback(long);

// The tops of Lisp's stacks, here.
struct lisp_stacks {
  const cl_env_ptr env = ecl_process_env();
  cl_object *const top = env->STACK_TOP;
  struct ecl_ihs_frame *const ihs_top = env->IHS_TOP;
  void
  put_back() const
  {
    env->STACK_TOP = top;
    env->IHS_TOP = ihs_top;
  }
};

// ---- exceptions

void
cxx_throw(long n)
{
  throw n;
}

long
cxx_catch(callback *f, long n)
{
  const struct lisp_stacks lisp;
  try {
    return f(n);
  } catch (long value) {
    lisp.put_back();
    return value;
  }
}

// Lisp runs in a destructor, on the way of an exception.
struct cleanup {
  callback *f;
  long n;
  ~cleanup() { f(n); }
};

long
cxx_clean_up(callback *f, callback *clean_up, long n)
{
  const struct cleanup at_end = { clean_up, n };
  return f(at_end.n) + 1;
}

// ---- signals

enum { STACK_BYTES = 1 << 18, STACK_MARGIN = 1 << 14 };

// Memory for a stack, at higher addresses than all of the thread's own or at
// lower ones.
static char *
stack_elsewhere(long above)
{
  const long step = above ? 1L << 25 : -(1L << 25);
  char *at = (char *)((size_t)&step & ~(size_t)0xFFF), *got;
  do
    got = (char *)mmap(at += step, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                       -1, 0);
  while (got != at);
  return got;
}

static callback *handler;
static long handler_argument;

void
handle_signal(int signal)
{
  (void)signal;
  handler(handler_argument);
}

// The thread interrupts itself; its handler calls `f' on another stack.
void
call_in_handler(callback *f, long n, long above)
{
  const cl_env_ptr env = ecl_process_env();
  char *const limit = env->CS_LIMIT;
  stack_t other = {}, before;
  struct sigaction action = {}, action_before;
  other.ss_sp = stack_elsewhere(above);
  other.ss_size = STACK_BYTES;
  action.sa_handler = handle_signal;
  action.sa_flags = SA_ONSTACK;
  GC_disable();
  sigaltstack(&other, &before);
  sigaction(SIGUSR2, &action, &action_before);
  handler = f;
  handler_argument = n;
  env->CS_LIMIT = (char *)other.ss_sp + STACK_MARGIN;
  raise(SIGUSR2);
  env->CS_LIMIT = limit;
  sigaction(SIGUSR2, &action_before, NULL);
  sigaltstack(&before, NULL);
  munmap(other.ss_sp, STACK_BYTES);
  GC_enable();
}
}
