/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * shallow.c -- allocates Lisp objects in a handler of a signal, on a stack of
 * 8 KB with an inaccessible page below.  The collector is off meanwhile: it would
 * read all memory between that stack and the program's.
 */
#include <ecl/ecl.h>
#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static cl_object list;

static void
handle(int number)
{
  (void)number;
  list = ecl_cons(ECL_NIL, list);
  list = ecl_cons(ecl_make_double_float(1.5), list);
  list = ecl_cons(ecl_alloc_simple_vector(5, ecl_aet_object), list);
}

int
allocate_in_handler(void)
{
  char *const all = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t there = {.ss_sp = all + PAGE, .ss_size = 2 * PAGE};
  const struct sigaction action = {.sa_handler = handle,
                                   .sa_flags = SA_ONSTACK};
  stack_t before;
  mprotect(all, PAGE, PROT_NONE);
  list = ECL_NIL;
  sigaltstack(&there, &before);
  sigaction(SIGWINCH, &action, NULL);
  GC_disable();
  raise(SIGWINCH);
  GC_enable();
  sigaltstack(&before, NULL);
  return 0;
}
