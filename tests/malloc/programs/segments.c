/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * segments.c -- functions in two executable segments, of the program and of
 * the library ./segments.so, which is this file with LIBRARY.  The linker
 * places the section "moved". */
#include <dlfcn.h>
#include <stdlib.h>

#define MOVED __attribute__((noinline, section("moved")))
#define USUAL __attribute__((noinline))

static void *volatile kept;

#ifdef LIBRARY

MOVED void
library_moved(void)
{
  free(kept = malloc(31));
}

USUAL void
library_usual(void)
{
  free(kept = malloc(32));
}

#else

MOVED void
program_moved(void)
{
  free(kept = malloc(21));
}

USUAL void
program_usual(void)
{
  free(kept = malloc(22));
}

int
main(void)
{
  static const char *const names[] = {"library_moved", "library_usual"};
  for (int i = 0; i < 3; i++)
    program_moved();
  for (int i = 0; i < 4; i++)
    program_usual();
  for (int i = 0; i < 2; i++) { /* again, at the same place */
    void *library = dlopen("./segments.so", RTLD_NOW);
    if (library == NULL)
      return 1;
    for (int k = 0; k < 2; k++)
      ((void (*)(void))dlsym(library, names[k]))();
    dlclose(library);
  }
  return 0;
}

#endif
