/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * second.c -- a program with an allocator beside malloc.  With LIBRARY that
 * allocator, which with REPLACES is malloc, too.
 */
#include "cases.h"

void *je_malloc(size_t bytes);
void *je_calloc(size_t count, size_t size);
void *je_realloc(void *p, size_t bytes);
void *je_aligned_alloc(size_t alignment, size_t bytes);
void *je_mallocx(size_t bytes, int flags);
void *je_rallocx(void *p, size_t bytes, int flags);
void *je_reallocarray(void *p, size_t count, size_t size);
void je_sdallocx(void *p, size_t bytes, int flags);
void je_free(void *p);
int je_posix_memalign(void **p, size_t alignment, size_t bytes);
size_t je_malloc_usable_size(void *p);
char *je_strdup(const char *text); /* which mprof does not know */

#if defined(LIBRARY) || defined(LINKED)

/* The size of each object is before it; none is used again. */
void *
je_aligned_alloc(size_t alignment, size_t bytes)
{
  static char area[1 << 26];
  static size_t used;
  const size_t most = 2 * alignment + bytes + 32;
  if (bytes > sizeof area)
    return errno = ENOMEM, NULL;
  uintptr_t at = (uintptr_t)area +
                 __atomic_fetch_add(&used, most, __ATOMIC_RELAXED) + 16;
  at = (at + alignment - 1) & -alignment;
  ((size_t *)at)[-1] = bytes;
  return (void *)at;
}

void *je_malloc(size_t bytes) { return je_aligned_alloc(16, bytes); }
void *je_mallocx(size_t bytes, int flags) { return (void)flags, je_malloc(bytes); }
void je_free(void *p) { (void)p; }
void je_sdallocx(void *p, size_t bytes, int flags) { je_free(p); }
size_t je_malloc_usable_size(void *p) { return ((size_t *)p)[-1]; }
char *je_strdup(const char *text) { return strcpy(je_malloc(strlen(text) + 1), text); }

void *
je_calloc(size_t count, size_t size)
{
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : je_malloc(bytes);
}

void *
je_realloc(void *p, size_t bytes)
{
  void *q = je_malloc(bytes);
  if (p != NULL && q != NULL)
    memcpy(q, p, bytes < ((size_t *)p)[-1] ? bytes : ((size_t *)p)[-1]);
  return q;
}

void *je_rallocx(void *p, size_t bytes, int flags) { return je_realloc(p, bytes); }

void *
je_reallocarray(void *p, size_t count, size_t size)
{
  return je_realloc(p, count * size);
}

int
je_posix_memalign(void **p, size_t alignment, size_t bytes)
{
  *p = je_aligned_alloc(alignment, bytes);
  return *p == NULL ? ENOMEM : 0;
}
#endif

#ifdef REPLACES
void *malloc(size_t) __attribute__((alias("je_malloc")));
void *calloc(size_t, size_t) __attribute__((alias("je_calloc")));
void *realloc(void *, size_t) __attribute__((alias("je_realloc")));
void *aligned_alloc(size_t, size_t) __attribute__((alias("je_aligned_alloc")));
int posix_memalign(void **, size_t, size_t) __attribute__((alias("je_posix_memalign")));
size_t malloc_usable_size(void *) __attribute__((alias("je_malloc_usable_size")));
void free(void *) __attribute__((alias("je_free")));
#endif

#ifndef LIBRARY

static volatile size_t huge = SIZE_MAX / 2;

/* 10 + 3 * 7 + 20 + 30 + 40 + 50 + 60 + 5 * 14 + 80; kept are 60, 70, 80. */
CASE(each)
{
  void *p;
  je_free(je_malloc(10));
  je_free(je_calloc(3, 7));
  je_free(je_aligned_alloc(64, 20));
  if (je_posix_memalign(&p, 64, 30) == 0)
    je_free(p);
  je_sdallocx(je_mallocx(40, 0), 40, 0);
  kept[0] = je_realloc(je_realloc(NULL, 50), 60);
  kept[1] = je_reallocarray(NULL, 5, 14);
  kept[2] = je_rallocx(NULL, 80, 0);
  je_free(NULL);
}

/* Nothing counts that fails; 10 is kept, as its realloc failed. */
CASE(failing)
{
  kept[0] = je_malloc(huge);
  kept[1] = je_calloc(huge, 3);
  kept[2] = je_malloc(10);
  kept[3] = je_realloc(kept[2], huge);
  if (je_posix_memalign((void **)&kept[4], 64, huge) == 0 ||
      je_malloc_usable_size(kept[2]) != 10)
    exit(1);
}

/* However the program finds it; strdup is not known, but calls malloc. */
CASE(found)
{
  void *(*volatile pointer)(size_t) = je_malloc;
  void *(*found)(size_t) = NULL;
  *(void **)&found = dlsym(RTLD_DEFAULT, "je_malloc");
  je_free(pointer(100));
  if (found != NULL)
    kept[0] = found(200);
  je_free(je_strdup("four"));
  if (je_calloc == NULL || found != pointer)
    exit(1);
}

static void *
work(void *data)
{
  for (int i = 0; i < 1000; i++)
    je_free(je_realloc(je_malloc(8), 24));
  return data;
}

CASE(threads)
{
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

CASE(linked)
{
  kept[0] = malloc(50);
  kept[1] = je_malloc(10);
}

/* Where it is malloc, too: 10 + 20 + 30 + 40 + 50; kept is 50. */
CASE(mixed)
{
  char *p = malloc(10);
  memset(p, 'x', 10);
  p = je_realloc(p, 20);
  if (p[9] != 'x' || je_malloc_usable_size(p) < 20)
    exit(1);
  je_free(p);
  free(je_malloc(30));
  je_free(malloc(40));
  kept[0] = malloc(50);
}

RUN_CASES
#endif
