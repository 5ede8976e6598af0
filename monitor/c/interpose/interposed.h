/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interposed.h -- the functions that this library has in front of real ones,
 * and how all that look for the real allocator find this one (rebind.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/attributes.h"

/* Frame of the interposed function, from which the walk begins. */
#define FRAME ARCH_FRAME

/* Allocate and count as malloc, realloc and posix_memalign do, for an
 * interposed function with that FRAME. */
void *interposed_malloc(size_t bytes, const uintptr_t *frame);
void *interposed_realloc(void *p, size_t bytes, const uintptr_t *frame);
int interposed_memalign(void **result, size_t alignment, size_t bytes,
                        const uintptr_t *frame);

struct interposed_function {
  const char *name;
  void *real; /* address of the variable for the real function; NULL ends the
                 array */
  void *own;  /* address of the function of this library */
};

/* The address of an interposed function is that of own_NAME: the program may
 * have one of its name. */
#define OWN(name)                                                            \
  __asm__(".set own_" #name ", " #name);                                     \
  extern char own_##name[] HIDDEN

/* The functions of C, with one more element that ends the array. */
enum { INTERPOSED_FUNCTIONS = 11 };
extern const struct interposed_function
    interposed_functions[INTERPOSED_FUNCTIONS] HIDDEN;

/* Makes the symbols of the real functions lead to ours, or `back', if all are
 * in one file: an allocator that leans on another one looks for that by these
 * names.  To be called before anything but the dynamic linker runs, or under a
 * lock.  Returns false if they are not. */
bool rebind_symbols(const struct interposed_function *functions, bool back);

/* Rebinds the loaded files that have bound the real functions already, or
 * `back': in their slots, where the dynamic linker has stored addresses, or
 * will.  Takes the linker's lock. */
void rebind_slots(const struct interposed_function *functions, bool back);

/* Counts an allocator that a library has beside malloc, the first of
 * SECOND_ALLOCATORS that there is (common/second_allocators.h), from now on.
 * Notes in the profile which one.  Does nothing the second time. */
void second_allocator_bind(void);
