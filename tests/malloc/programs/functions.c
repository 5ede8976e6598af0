/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * functions.c -- one case for each function that allocates, by the name on
 * the command line.  The C library allocates nothing else in any of them.
 */
#include <wchar.h>

#include "cases.h"

extern void free(void *);
/* C23's, which the C library may lack */
extern void free_sized(void *, size_t) __attribute__((weak));
extern void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));
static volatile size_t huge = SIZE_MAX / 2 - 4096, overflowing = SIZE_MAX / 8;

static void
demand(int condition, int line)
{
  if (!condition) {
    char text[40];
    int n = snprintf(text, sizeof text, "line %d: wrong\n", line);
    n = (int)write(2, text, (size_t)n);
    _exit(99);
  }
}
#define DEMAND(condition) demand((condition), __LINE__)

CASE(malloc)
{
  for (int i = 0; i < 10; i++)
    kept[i] = malloc(100 + (size_t)i);
  for (int i = 0; i < 4; i++)
    free(kept[i]);
}

CASE(zero)
{
  void *p = malloc(0), *q = calloc(0, 5), *r = realloc(NULL, 0);
  DEMAND(p != NULL && q != NULL && r != NULL);
  free(q);
  free(NULL);
}

CASE(calloc)
{
  char *p = calloc(7, 11), *q = calloc(1000, 1000);
  for (int i = 0; i < 77; i++)
    DEMAND(p[i] == 0);
  kept[0] = p;
  free(q);
}

CASE(realloc)
{
  char *p = realloc(NULL, 10);
  memset(p, 'x', 10);
  p = realloc(p, 20);       /* in place */
  p = realloc(p, 100000);   /* moved */
  p = realloc(p, 10000000); /* mapped */
  DEMAND(p[9] == 'x');
  p = realloc(p, 5);
  DEMAND(p[4] == 'x');
  kept[0] = p;
}

CASE(realloc_zero)
{
  void *p = malloc(40), *q;
  q = realloc(p, 0);
  DEMAND(q == NULL);
}

CASE(reallocarray)
{
  void *p = reallocarray(NULL, 3, 5);
  p = reallocarray(p, 30, 5);
  errno = 0;
  DEMAND(reallocarray(p, overflowing, 100) == NULL && errno == ENOMEM);
  kept[0] = p;
}

/* Nothing of it counts, and the objects live on. */
CASE(failing)
{
  void *p = malloc(50), *q = (void *)1, *r;
  errno = 0;
  DEMAND(malloc(huge) == NULL && errno == ENOMEM);
  errno = 0;
  DEMAND(calloc(overflowing, 100) == NULL && errno == ENOMEM);
  errno = 0;
  DEMAND(calloc(huge, 1) == NULL && errno == ENOMEM);
  DEMAND(realloc(p, huge) == NULL);
  DEMAND(posix_memalign((void **)&q, 3, 10) == EINVAL && q == (void *)1);
  DEMAND(posix_memalign((void **)&q, 64, huge) == ENOMEM && q == (void *)1);
  DEMAND(memalign(64, huge) == NULL);
  DEMAND(aligned_alloc(64, huge) == NULL);
  DEMAND(valloc(huge) == NULL);
  r = malloc(60);
  DEMAND(realloc(r, huge) == NULL);
  free(r);
  kept[0] = p;
}

CASE(aligned)
{
  void *p = NULL;
  DEMAND(posix_memalign(&p, 256, 100) == 0 && (uintptr_t)p % 256 == 0);
  kept[0] = p;
  p = aligned_alloc(1024, 2048);
  DEMAND((uintptr_t)p % 1024 == 0);
  kept[1] = p;
  p = memalign(64, 33);
  DEMAND((uintptr_t)p % 64 == 0);
  kept[2] = p;
  p = valloc(77);
  DEMAND((uintptr_t)p % 4096 == 0);
  kept[3] = p;
  p = memalign(65536, 5000); /* far more usable than requested */
  kept[4] = p;
  for (int i = 0; i < 5; i += 2)
    free(kept[i]);
}

CASE(sized)
{
  void *p = malloc(100), *q = aligned_alloc(64, 128), *r = malloc(30);
  DEMAND(free_sized != NULL && free_aligned_sized != NULL);
  free_sized(p, 100);
  free_aligned_sized(q, 64, 128);
  free_sized(NULL, 1);
  kept[0] = r;
}

CASE(pvalloc)
{
  void *p = pvalloc(78);
  DEMAND((uintptr_t)p % 4096 == 0 && malloc_usable_size(p) >= 4096);
  kept[0] = p;
  DEMAND(pvalloc(huge) == NULL);
}

CASE(nothing)
{
}

CASE(usable)
{
  char *p = malloc(21);
  const size_t usable = malloc_usable_size(p);
  DEMAND(usable >= 21);
  memset(p, 1, usable); /* allowed */
  DEMAND(malloc_usable_size(NULL) == 0);
  kept[0] = p;
  kept[1] = malloc(21);
  free(p);
}

CASE(strings)
{
  wchar_t *w;
  kept[0] = strdup("hello");
  kept[1] = strndup("hello", 2);
  w = wcsdup(L"abc");
  free(w);
}

CASE(asprintf)
{
  char *text;
  DEMAND(asprintf(&text, "%s %d", "number", 12345) == 12);
  kept[0] = text;
}

/* errno is what it was when an allocation succeeds. */
CASE(errno)
{
  errno = 1234;
  kept[0] = malloc(10);
  DEMAND(errno == 1234);
  kept[0] = realloc(kept[0], 1000);
  DEMAND(errno == 1234);
  free(kept[0]);
  DEMAND(errno == 1234);
}

/* a, b; b and a end; then c: only b was temporary. */
CASE(temporary)
{
  void *a = malloc(10), *b = malloc(20), *c;
  free(b);
  free(a);
  for (int i = 0; i < 5; i++) {
    c = malloc(30);
    free(c);
  }
  c = realloc(NULL, 40);
  c = realloc(c, 50); /* ends what was the last */
  kept[0] = c;
}

/* The most that lives: after d.  Then less, then as much again, no more. */
CASE(peak)
{
  void *a = malloc(1000), *b = malloc(200), *c, *d;
  free(b);
  c = malloc(30);
  d = malloc(500);
  free(a);
  free(c);
  kept[0] = malloc(1030);
  free(d);
}

CASE(sizes)
{
  for (size_t i = 0; i < 3; i++)
    for (size_t n = 0; n <= i; n++)
      kept[i] = malloc(2047 + i);
  kept[10] = malloc(100000);
  kept[11] = malloc(200000);
}

/* What exit handlers free counts. */
static void
free_first(void)
{
  free(kept[0]);
}

CASE(atexit)
{
  kept[0] = malloc(10);
  kept[1] = malloc(20);
  atexit(free_first);
}

RUN_CASES
