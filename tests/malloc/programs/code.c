/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code.c -- libraries that come and go at one address; stacks that are no
 * thread's; jumps over frames.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <iconv.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"

#define NOINLINE __attribute__((noinline))

static void *volatile kept;
static volatile int sink;

typedef void *allocator(size_t);

/* Gives back the address of the function. */
static NOINLINE void *
use(const char *library, const char *name, size_t bytes)
{
  void *handle = dlopen(library, RTLD_NOW);
  void *found;
  if (handle == NULL || (found = dlsym(handle, name)) == NULL)
    _exit(97);
  for (int i = 0; i < 3; i++)
    kept = ((allocator *)found)(bytes);
  dlclose(handle);
  return found;
}

static void
case_unload(void)
{
  void *first = NULL;
  for (int i = 0; i < 3; i++) /* the monitor has its tables after that */
    dlclose(dlopen("./one.so", RTLD_NOW));
  for (int i = 0; i < 10; i++) {
    void *one = use("./one.so", "from_one", 61);
    void *two = use("./two.so", "from_two", 67);
    if (first == NULL)
      first = one;
    if (one != first || two != first)
      _exit(96); /* the test is of use only if they are at one place */
  }
}

static uintptr_t module; /* where it is loaded; 0: nowhere */

static int
find_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  if (strstr(info->dlpi_name, "UTF-16.so") != NULL)
    module = info->dlpi_addr;
  return 0;
}

static bool
module_is_loaded(void)
{
  const uintptr_t was = module;
  bool is;
  module = 0;
  dl_iterate_phdr(find_module, NULL);
  is = module != 0;
  if (!is)
    module = was;
  return is;
}

/* Fills the holes above the module's place that a library would fit into: the
 * kernel takes the highest one. */
static void
fill_holes(void)
{
  const size_t bytes = 0x5000; /* of one.so in memory */
  uintptr_t at = UINTPTR_MAX;
  while (at - module > 0x6000 && at > module)
    at = (uintptr_t)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
  munmap((void *)at, bytes);
}

/* The C library loads a module, which allocates, and unloads it some time
 * after the last use; then a library is loaded there. */
static void
case_modules(void)
{
  static const char *const others[] = { "UTF-7", "EUC-KR", "BIG5", "SJIS" };
  void *found;
  iconv_close(iconv_open("UTF-16", "UTF-8"));
  if (!module_is_loaded())
    _exit(95);
  for (int i = 0; i < 4 && module_is_loaded(); i++)
    iconv_close(iconv_open(others[i], "UTF-8"));
  if (module_is_loaded())
    _exit(94);
  fill_holes();
  found = use("./one.so", "from_one", 61);
  if ((uintptr_t)found - module > 0x6000)
    _exit(96); /* the test is of use only if they are at one place */
}

static ucontext_t home, there[2];

static NOINLINE void
in_coroutine(void)
{
  kept = malloc(61);
}

static void
coroutine(int number)
{
  for (int i = 0; i < 10; i++) {
    in_coroutine();
    swapcontext(&there[number], &home);
  }
}

static void
case_coroutines(void)
{
  for (int i = 0; i < 2; i++) {
    getcontext(&there[i]);
    there[i].uc_stack.ss_size = 1 << 16;
    there[i].uc_stack.ss_sp = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    there[i].uc_link = &home;
    makecontext(&there[i], (void (*)(void))coroutine, 1, i);
  }
  for (int i = 0; i < 20; i++) {
    kept = malloc(67);
    swapcontext(&home, &there[i % 2]);
  }
  for (int i = 0; i < 2; i++) {
    munmap(there[i].uc_stack.ss_sp, 1 << 16);
    kept = malloc(67);
  }
}

static jmp_buf target;

static NOINLINE void
deep(int n)
{
  kept = malloc(61);
  if (n == 0)
    longjmp(target, 1);
  deep(n - 1);
  sink = n;
}

static NOINLINE void
shallow(void)
{
  kept = malloc(67);
  sink = 1;
}

static void
case_jumps(void)
{
  for (volatile int i = 0; i < 10; i++) {
    if (setjmp(target) == 0)
      deep(4);
    shallow();
  }
}

static void
handler(int number)
{
  sink = number;
  kept = malloc(61);
}

static NOINLINE void
raise_deep(int n)
{
  if (n == 0)
    raise(SIGUSR1);
  else
    raise_deep(n - 1);
  kept = malloc(67);
}

static void
case_signals(void)
{
  static char stack[1 << 16];
  stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 10; i++)
    raise_deep(3);
}

static int
compare(const void *a, const void *b)
{
  free(malloc(61));
  return *(const int *)a - *(const int *)b;
}

static void
case_callbacks(void)
{
  int numbers[8] = { 7, 6, 5, 4, 3, 2, 1, 0 };
  qsort(numbers, 8, sizeof *numbers, compare);
}

static const struct test_case cases[] = {
  { "unload", case_unload },       { "coroutines", case_coroutines },
  { "jumps", case_jumps },         { "signals", case_signals },
  { "callbacks", case_callbacks }, { "modules", case_modules },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_case(cases, argc, argv);
}
