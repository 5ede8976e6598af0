/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * real_allocator.h -- the allocator that the program would have without
 * mprof: that of the C library, or of a library that takes its place.
 *
 * It is found with dlsym, which may itself allocate a little.  Until then
 * memory comes from an array; it is never given back, and known by its
 * address.
 */
#ifndef MPROF_REAL_ALLOCATOR_H
#define MPROF_REAL_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct real_allocator {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  size_t (*malloc_usable_size)(void *);
  bool found;    /* and this monitor is in front of it */
  bool bypassed; /* found, but this process is not profiled, or by another
                    monitor: all is passed on, and nothing added to it */
};

extern struct real_allocator real HIDDEN;

/* *function, a variable, becomes the function `name' that is behind the one
 * of this library; NULL: there is none. */
void real_function(void *function, const char *name);

/* That function, which is looked for the first time. */
#define BEHIND(name)                                                         \
  ({                                                                         \
    static __typeof__(name) *behind;                                         \
    if (behind == NULL)                                                      \
      real_function(&behind, #name);                                         \
    behind;                                                                  \
  })

/* Finds the allocator.  Returns false where it is bypassed, and while this
 * thread is at it: then the caller takes memory from early_allocate. */
bool real_allocator_find(void);

/* Whether the real functions are to be called with what the program says. */
static inline bool
real_allocator_bypassed(void)
{
  return __atomic_load_n(&real.bypassed, __ATOMIC_ACQUIRE);
}

/* Find it; say that it is bypassed, or that this monitor is in front of it by
 * other functions than those of its name. */
void real_allocator_bypass(void);
void real_allocator_attach(void);

/* Find it, and say whether this process is profiled by this monitor. */
bool real_allocator_is_ours(void);

/* Whether this monitor is in front of `real'. */
static inline bool
real_allocator_found(void)
{
  return __builtin_expect(__atomic_load_n(&real.found, __ATOMIC_ACQUIRE),
                          1) ||
         real_allocator_find();
}

/* `bytes' of zeroed memory at a multiple of `alignment', a power of two; NULL
 * with errno set when there is none. */
void *early_allocate(size_t alignment, size_t bytes);

/* How large a block of such memory is. */
size_t early_size(const void *address);

enum { EARLY_BYTES = 1 << 16 };
extern char early_memory[EARLY_BYTES] HIDDEN; /* of all blocks */

/* Whether `address' is in such memory. */
static inline bool
early_contains(const void *address)
{
  return (uintptr_t)address - (uintptr_t)early_memory < EARLY_BYTES;
}

#endif
