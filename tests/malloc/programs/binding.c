/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * binding.c -- a program whose parts find the allocator in different ways.
 */
#include "cases.h"

int
whose(void)
{
  return 1;
}

typedef void *allocator(size_t);
typedef void releaser(void *);

static void *
found(void *library, const char *name)
{
  void *function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL)
    _exit(97);
  return function;
}

/* Objects cross the border in both directions. */
CASE(deepbound)
{
  void *library = dlopen("./deepbound.so", RTLD_NOW | RTLD_DEEPBIND);
  if (((int (*)(void))found(library, "whose_is_found"))() != 2)
    _exit(96);
  ((releaser *)found(library, "release"))(malloc(61));
  ((releaser *)found(library, "release"))(strdup("four"));
  free(((allocator *)found(library, "allocate"))(67));
  ((void (*)(void))found(library, "use_all"))();
}

/* The functions of the C library itself, by its handle. */
CASE(handle)
{
  void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ((releaser *)found(library, "free"))(malloc(71));
  free(((allocator *)found(library, "malloc"))(73));
}

RUN_CASES
