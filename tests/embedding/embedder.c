/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * embedder.c -- a C program with Lisp code in it, which profiles itself: C
 * calls Lisp, Lisp calls C, and libc's qsort stands between two of its
 * functions.  Called with the name of the profile to write.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

extern void init_embedded(cl_object);

static cl_object kept;

/* Static, called with a constant: GCC makes a clone with a suffix of it. */
static __attribute__((noinline)) cl_object
call_consume(cl_object function, int n)
{
  cl_object result = cl_funcall(2, function, ecl_make_fixnum(n));
  kept = result;
  return result;
}

__attribute__((noinline)) void
make_conses(int n)
{
  for (int i = 0; i < n; i++)
    kept = ecl_cons(ecl_make_fixnum(i), kept);
}

/* Three levels, and Lisp below the last one. */
__attribute__((noinline)) int
descend(cl_object function, int depth)
{
  int deeper = depth == 1 ? call_consume(function, 7) != NULL
                          : descend(function, depth - 1);
  kept = ECL_NIL;
  return deeper + 1;
}

/* A Lisp function that is written in C. */
static cl_object
c_leaf(cl_object n)
{
  make_conses((int)ecl_fixnum(n));
  kept = ecl_cons(n, ECL_NIL);
  return n;
}

static int
compare(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  kept = ecl_cons(ecl_make_fixnum(x), ecl_make_fixnum(y));
  return (x > y) - (x < y);
}

__attribute__((noinline)) static void
sort_two(void)
{
  int numbers[] = {2, 1};
  qsort(numbers, 2, sizeof numbers[0], compare);
  kept = ecl_make_fixnum(numbers[0]);
}

int
main(int argc, char **argv)
{
  cl_object consume, call, start, stop, save, leaf;
  if (argc != 2)
    return 2;
  cl_boot(1, argv);
  ecl_init_module(NULL, init_embedded);
  cl_eval(ecl_read_from_cstring("(require :mprof)"));
  consume = ecl_read_from_cstring("embedded:consume");
  call = ecl_read_from_cstring("embedded:call");
  start = ecl_read_from_cstring("mprof:start");
  stop = ecl_read_from_cstring("mprof:stop");
  save = ecl_read_from_cstring("mprof:save");
  leaf = ecl_read_from_cstring("cl-user::c-leaf");
  ecl_def_c_function(leaf, (cl_objectfn_fixed)c_leaf, 1);

  cl_funcall(1, start);
  call_consume(consume, 10);
  make_conses(5);
  descend(consume, 3);
  cl_funcall(3, call, leaf, ecl_make_fixnum(4));
  sort_two();
  cl_funcall(1, stop);

  cl_funcall(2, save, ecl_make_simple_base_string(argv[1], -1));
  cl_shutdown();
  return kept == NULL;
}
