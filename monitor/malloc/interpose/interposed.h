/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interposed.h -- what the interposed functions of C and those of C++ have in
 * common.
 */
#ifndef MPROF_INTERPOSED_H
#define MPROF_INTERPOSED_H

#include <stddef.h>
#include <stdint.h>

#include "arch/attributes.h"
#include "malloc/interpose/rebind.h"

/* The frame of the interposed function, from which the walk begins. */
#define FRAME ((const uintptr_t *)__builtin_frame_address(0))

/* malloc and posix_memalign, for a function with that frame. */
void *interposed_malloc(size_t bytes, const uintptr_t *frame);
int interposed_memalign(void **result, size_t alignment, size_t bytes,
                        const uintptr_t *frame);

/* The address of an interposed function is that of own_NAME: the program may
 * have one of its name. */
#define OWN(name)                                                            \
  __asm__(".set own_" #name ", " #name);                                     \
  extern char own_##name[] HIDDEN

/* Those of C; the last has no name. */
extern const struct interposed_function interposed_functions[] HIDDEN;

#endif
