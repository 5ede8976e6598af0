/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other_libc.c -- the compiler's unwinder, which is linked into the library,
 * needs a function of the GNU C library, too: see other_libc.h.  The linker
 * has it call this one (malloc_link of the makefile, --wrap).
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
