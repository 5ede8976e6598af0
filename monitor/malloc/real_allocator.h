/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * real_allocator.h -- the allocator that the program would have without
 * mprof: that of the C library, or of a library that takes its place.
 *
 * It is found with dlsym, which may itself allocate before it has an answer.
 * What is asked for until then comes from pages of our own, without a limit;
 * they are never given back, and the few blocks in them are known by address.
 */
#ifndef MPROF_REAL_ALLOCATOR_H
#define MPROF_REAL_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/attributes.h"

struct real_allocator {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*reallocarray)(void *, size_t, size_t);
  void (*free)(void *);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  size_t (*malloc_usable_size)(void *);
};

extern struct real_allocator real HIDDEN;
extern int real_allocator_state HIDDEN;

enum { REAL_UNKNOWN, REAL_SOUGHT, REAL_FOUND };

/* Find it.  False while this thread is already at it: then the caller takes
 * memory from early_allocate. */
bool real_allocator_find(void);

/* Whether `real' may be used. */
static inline bool
real_allocator_found(void)
{
  return __builtin_expect(__atomic_load_n(&real_allocator_state,
                                          __ATOMIC_ACQUIRE) == REAL_FOUND,
                          1) ||
         real_allocator_find();
}

/* `bytes' of zeroed memory at a multiple of `alignment', a power of two; NULL
 * with errno set when the kernel has none. */
void *early_allocate(size_t alignment, size_t bytes);

/* Whether `address' is in such memory, and how large it is. */
bool early_has(const void *address);
size_t early_size(const void *address);

extern struct early_chunk *early_chunks HIDDEN; /* NULL: there is none */

static inline bool
early_contains(const void *address)
{
  return __builtin_expect(
             __atomic_load_n(&early_chunks, __ATOMIC_ACQUIRE) != NULL, 0) &&
         early_has(address);
}

#endif
