/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sized.c -- an allocator, that of the C library by its other names, with the
 * functions of C23.
 */
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t bytes) { return __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return __libc_calloc(n, bytes); }
void *realloc(void *p, size_t bytes) { return __libc_realloc(p, bytes); }
void *aligned_alloc(size_t boundary, size_t bytes)
{
  return __libc_memalign(boundary, bytes);
}
void free(void *p) { __libc_free(p); }
void free_sized(void *p, size_t bytes) { __libc_free(p); }
void free_aligned_sized(void *p, size_t boundary, size_t bytes)
{
  __libc_free(p);
}
