/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * deepbound.c -- a library that finds functions of the C library, and its
 * own, before those of the program (RTLD_DEEPBIND).
 */
#include <stdlib.h>
#include <string.h>

int
whose(void)
{
  return 2;
}

/* By the symbol: the program has one of that name, too. */
int
whose_is_found(void)
{
  return whose();
}

static char *made;

/* Before dlopen comes back: what the C library makes, and what this does. */
static void __attribute__((constructor)) begin(void)
{
  free(strdup("twelve bytes"));
  free(malloc(41));
  made = malloc(43);
}

void
release(void *p)
{
  free(p);
}

void *
allocate(size_t bytes)
{
  return malloc(bytes);
}

/* All of the others, and what became of the first one. */
void
use_all(void)
{
  void *p = NULL;
  free(made);
  free(realloc(calloc(3, 17), 53));
  free(reallocarray(NULL, 3, 19));
  if (posix_memalign(&p, 64, 59) == 0)
    free(p);
  free(aligned_alloc(64, 64));
}
