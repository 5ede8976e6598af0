/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fake.c -- a library with the name of ECL and its functions, but other
 * structures; and, with PROGRAM, a program that calls it.
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct pair {
  long kind;
  void *first, *rest;
} *object;

object ecl_cons(void *first, void *rest);
object ecl_alloc_object(int type);

#ifndef PROGRAM

object
ecl_cons(void *first, void *rest)
{
  object made = malloc(sizeof *made);
  *made = (struct pair){7, first, rest};
  return made;
}

object
ecl_alloc_object(int type)
{
  return ecl_cons(NULL, (void *)(long)type);
}

#define NONE(name)                                                           \
  void *name(void)                                                           \
  {                                                                          \
    return NULL;                                                             \
  }
NONE(ecl_alloc_compact_object)
NONE(ecl_alloc_simple_vector)
NONE(ecl_allocate_instance)
NONE(si_make_structure)
NONE(ecl_interpret)
NONE(ecl_init_module)
NONE(ecl_make_cfun)
NONE(ecl_make_cfun_va)
NONE(ecl_make_cclosure_va)
NONE(si_fset)
NONE(_ecl_dealloc_env)
NONE(ecl_import_current_thread)
NONE(ecl_lower_case_p)
NONE(ecl_process_env)
NONE(ecl_function_dispatch)
NONE(ecl_library_close_all)

long cl_core[3] = {1, 2, 3};
long ecl_option_values[2];
void *clos_stream_ops[24];

#else

void *GC_malloc(size_t);

int
main(void)
{
  object list = NULL;
  for (long i = 0; i < 10; i++)
    list = ecl_cons(GC_malloc(16), list);
  printf("%ld %ld\n", list->kind, (long)ecl_alloc_object(3)->rest);
  return 8;
}

#endif
