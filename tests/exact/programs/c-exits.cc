// SPDX-License-Identifier: LGPL-2.1-or-later
//
// c-exits.cc -- for c-exits.lisp: ways in which C and C++ leave frames of Lisp
// functions that they have called.
#include <csetjmp>

#include "stacks.h"

extern "C" {

typedef long callback(long);

// ---- exceptions

void
cxx_throw(long n)
{
  throw n;
}

long
cxx_catch(callback *f, long n)
{
  const struct lisp_stacks lisp = lisp_stacks(ecl_process_env());
  try {
    return f(n);
  } catch (long value) {
    lisp_stacks_put_back(&lisp);
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

// ---- jumps

static std::jmp_buf *target;

void
jump_back(long n)
{
  std::longjmp(*target, (int)n);
}

long
jump_target(callback *f, long n)
{
  const struct lisp_stacks lisp = lisp_stacks(ecl_process_env());
  std::jmp_buf here, *const outer = target;
  long value;
  target = &here;
  value = setjmp(here);
  if (value == 0)
    value = f(n);
  target = outer;
  lisp_stacks_put_back(&lisp);
  return value;
}
}
