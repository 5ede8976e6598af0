/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interposed.h -- what the interposed functions of C and those of C++ have in
 * common.
 */
#ifndef MPROF_INTERPOSED_H
#define MPROF_INTERPOSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/count/malloc_monitor.h"
#include "malloc/interpose/object_header.h"

/* The frame of the interposed function, from which the walk begins. */
#define FRAME ((const uintptr_t *)__builtin_frame_address(0))

/* Whether the call in hand is the program's own. */
static inline bool
enter(void)
{
  return malloc_monitor_inside++ == 0;
}

static inline void
leave(void)
{
  malloc_monitor_inside--;
}

/* What to ask of the real allocator; it refuses what is too much. */
static inline size_t
with_header(size_t bytes)
{
  return bytes > SIZE_MAX - HEADER_BYTES ? bytes : bytes + HEADER_BYTES;
}

/* malloc and posix_memalign, for a function with that frame. */
void *interposed_malloc(size_t bytes, const uintptr_t *frame);
int interposed_memalign(void **result, size_t alignment, size_t bytes,
                        const uintptr_t *frame);

#endif
