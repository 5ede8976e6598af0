/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * foreign.c -- C functions that call back, for foreign.lisp.  Compiled with
 * -O3 and without frame pointers; each makes the way back to its caller hard
 * to find in its own manner.
 */
#include <alloca.h>

#include <ecl/ecl.h>

typedef long callback(long);

/* More values that live over a call than there are callee-saved registers, so
 * that rbp holds one of them. */
long
foreign_many_values(callback *f, long n)
{
  long a = n + 1, b = n * 2, c = n * 3, d = n * 5, e = n * 7, g = n * 11,
       h = n * 13;
  long sum = 0;
  for (long i = 0; i < n; i++) {
    long r = f(a ^ i) + f(b ^ i);
    sum += (r + a) ^ (b + c) ^ (d - e) ^ (g + h);
    a += b, b += c, c += d, d += e, e += g, g += h, h += i;
  }
  return sum == 42 ? 1 : n;
}

/* A frame whose size is not known before it runs. */
long
foreign_alloca(callback *f, long n)
{
  volatile char *block = alloca((size_t)(n + 1) * 100);
  long r;
  block[n] = 1;
  r = f(n);
  return r + block[n];
}

/* GCC leaves the frame before it calls: this one shows nowhere. */
long
foreign_tail_call(callback *f, long n)
{
  return f(n + 1);
}

/* Two of its own frames below each call back. */
static __attribute__((noinline, noclone)) long
inner(callback *f, long n, volatile long *where)
{
  *where = f(n);
  return *where;
}

long
foreign_two_frames(callback *f, long n)
{
  volatile long where;
  return inner(f, n, &where) + 1;
}

/* Makes conses itself; named as a symbol of COMMON-LISP might be. */
long
FOREIGN_CONS(long n)
{
  cl_object list = ECL_NIL;
  for (long i = 0; i < n; i++)
    list = ecl_cons(ecl_make_fixnum(i), list);
  return n;
}
