/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interposed.h -- the functions that this library has in front of real ones,
 * and how all that look for the real allocator find this one (rebind.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/attributes.h"

/* The frame of the interposed function, from which the walk begins. */
#define FRAME ARCH_FRAME

/* malloc, realloc and posix_memalign, for a function with that frame. */
void *interposed_malloc(size_t bytes, const uintptr_t *frame);
void *interposed_realloc(void *p, size_t bytes, const uintptr_t *frame);
int interposed_memalign(void **result, size_t alignment, size_t bytes,
                        const uintptr_t *frame);

struct interposed_function {
  const char *name;
  void *real; /* where the real one is kept, a variable; NULL in the last */
  void *own;  /* and the one in front of it */
};

/* The address of an interposed function is that of own_NAME: the program may
 * have one of its name. */
#define OWN(name)                                                            \
  __asm__(".set own_" #name ", " #name);                                     \
  extern char own_##name[] HIDDEN

/* Those of C; the last has no name. */
enum { INTERPOSED_FUNCTIONS = 11 };
extern const struct interposed_function
    interposed_functions[INTERPOSED_FUNCTIONS] HIDDEN;

/* Let the symbols of the real functions be those of our own, if all are in
 * one file: an allocator that leans on another one looks for that by these
 * names.  Before anything but the dynamic linker runs, or under a lock.  Does
 * nothing where it cannot. */
void rebind_symbols(const struct interposed_function *functions);

/* Rebinds files that have bound the real functions already: in each that is
 * loaded, the slots where the dynamic linker has stored their addresses, or
 * will.  rebind_back binds them to the real functions again. */
void rebind_slots(const struct interposed_function *functions);
void rebind_back(const struct interposed_function *functions);
