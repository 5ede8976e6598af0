/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other_libc.c -- the compiler's unwinder, which is linked into the library
 * that is preloaded, needs a function that only the GNU C library has.
 * Another one is to load the library as well, only to find that it stands
 * aside (real_allocator.h): so the linker has the unwinder call this one
 * (malloc_link of the makefile, --wrap).
 */
#include <dlfcn.h>

#include "arch/attributes.h"

extern int __real__dl_find_object(void *address,
                                  struct dl_find_object *object)
    __attribute__((weak));

HIDDEN int __wrap__dl_find_object(void *address,
                                  struct dl_find_object *object);

int
__wrap__dl_find_object(void *address, struct dl_find_object *object)
{
  return __real__dl_find_object(address, object);
}
