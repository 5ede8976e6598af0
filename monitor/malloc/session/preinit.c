/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * preinit.c -- for programs that libmprof_malloc.a is a part of.  The
 * constructors of a program run when the dynamic linker has registered its
 * function for the end already (see malloc_session_save_at_exit); what is
 * listed here runs before.  Shared objects cannot have that, and need not.
 */
#include "malloc/session/malloc_session.h"

static void (*const before_constructors)(void)
    __attribute__((section(".preinit_array"),
                   used)) = malloc_session_save_at_exit;
