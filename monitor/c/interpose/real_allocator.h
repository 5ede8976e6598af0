/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * real_allocator.h -- the allocator that the program would have without
 * mprof: that of the C library, or of a library that takes its place; and
 * other functions that the program calls by way of mprof.
 *
 * It is found with dlsym, which allocates only where it fails.  Where there is
 * no malloc to find, the process ends with a line and status 127. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "c/interpose/interposed.h"
#include "c/interpose/object_mark.h"
#include "image/spin_lock.h"

enum { SECOND_FUNCTIONS = 39 };

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
  size_t (*measure)(void *); /* malloc_usable_size, if it is of the file that
                                has malloc; else returns 0 */
  bool has_chunks;           /* blocks are as those of the GNU C library */
  int (*dlclose)(void *);
  void (*_exit)(int);
  /* of the allocator beside malloc (second_allocator.c); NULL: it lacks that */
  uintptr_t (*second[SECOND_FUNCTIONS])(uintptr_t, uintptr_t, uintptr_t);
  bool second_is_malloc; /* its library also has malloc */
  bool found;    /* and this monitor is in front of it; atomic */
  bool bypassed; /* the functions are found, but this process is not profiled,
                    or by another monitor: calls are passed on as they are;
                    atomic */
  bool sought;   /* `monitor' was looked for; atomic */
  void *monitor; /* mprof_bypass of the monitor behind this one; NULL: none */
  struct spin_lock lock; /* held by the thread that finds all this */
};

extern struct real_allocator real HIDDEN;

/* Sets the variable at `function' to the function `name' that is behind the
 * one of this library; to NULL if there is none.  Keeps errno. */
void real_function(void *function, const char *name);

/* Returns that function, or NULL; looks for it until it is found. */
#define BEHIND(name)                                                         \
  ({                                                                         \
    static __typeof__(name) *behind;                                         \
    if (behind == NULL)                                                      \
      real_function(&behind, #name);                                         \
    behind;                                                                  \
  })

/* Returns the same as malloc_usable_size of the GNU C library, for an object
 * that is not mapped by itself; else 0.  The size of the block is in the word
 * before it, where free also reads it.  So what is no object does no more harm
 * than with free, and a call is saved. */
static inline UNSANITIZED size_t
chunk_end(const void *object)
{
  return object_mark_chunk_end(((const size_t *)object)[-1]);
}

/* Returns whether the file that has the real malloc also has the function, or
 * whatever is at that address. */
bool real_is_of(const void *address);

/* Finds the allocator that is behind FUNCTIONS.  Returns false if it is
 * bypassed, and while this thread looks for it: then the caller calls it as it
 * is, if it was found. */
bool real_allocator_find(const struct interposed_function *functions);

/* Returns whether calls are passed on to the real functions as they are. */
static inline bool
real_allocator_bypassed(void)
{
  return __atomic_load_n(&real.bypassed, __ATOMIC_ACQUIRE);
}

/* Passes all calls on to what is behind FUNCTIONS from now on, and counts no
 * allocations.  Under a lock, or while nobody else is here. */
void real_allocator_bypass(const struct interposed_function *functions);

/* Returns the function `name' behind this monitor, for a monitor in front of
 * it, which counts instead.  A program linked with libmprof_malloc.a has two,
 * where one is preloaded, too; the first counts, as the program calls its
 * functions.  mprof_find_allocator finds the allocator for that one. */
typedef void *bypass(const char *name);
EXPORT bypass mprof_bypass;
EXPORT void mprof_find_allocator(void) __attribute__((noinline));

/* Returns whether this monitor is in front of `real'; finds that if need be.
 */
static inline bool
real_allocator_found(void)
{
  return __builtin_expect(__atomic_load_n(&real.found, __ATOMIC_ACQUIRE),
                          1) ||
         real_allocator_find(interposed_functions);
}

/* Finds the allocator if need be, and returns whether this process is
 * profiled by this monitor. */
static inline bool
real_allocator_is_ours(void)
{
  mprof_find_allocator();
  return !real_allocator_bypassed();
}
