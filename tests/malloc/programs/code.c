/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code.c -- libraries that come and go at one address; handlers of signals.
 */
#include <iconv.h>
#include <link.h>
#include <stdbool.h>

#include "cases.h"

#define NOINLINE __attribute__((noinline))

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
    kept[0] = ((allocator *)found)(bytes);
  dlclose(handle);
  return found;
}

CASE(unload)
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
CASE(modules)
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

static void
handler(int number)
{
  sink = number;
  kept[0] = malloc(61);
}

static NOINLINE void
raise_deep(int n)
{
  if (n == 0)
    raise(SIGUSR1);
  else
    raise_deep(n - 1);
  kept[0] = malloc(67);
}

CASE(signals)
{
  static char stack[1 << 16];
  stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 10; i++)
    raise_deep(3);
}

RUN_CASES
