/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other_libc.h -- included before each file of the library that is preloaded
 * (malloc_flags of the makefile): what only the GNU C library has.
 *
 * Children of a program may have another C library, musl, whose dynamic
 * linker starts none that lacks a symbol.  There these are not found, and the
 * first thing that is asked for finds it so and stands aside
 * (real_allocator.h): nothing is called of these after.
 */
#ifndef MPROF_OTHER_LIBC_H
#define MPROF_OTHER_LIBC_H

#pragma weak gnu_get_libc_version
#pragma weak __cxa_at_quick_exit
#pragma weak __libc_single_threaded
#pragma weak __libc_stack_end
#pragma weak __register_atfork
#pragma weak _dl_find_object
#pragma weak _r_debug
#pragma weak renameat2
#pragma weak sigabbrev_np
#pragma weak strerrordesc_np

#endif
