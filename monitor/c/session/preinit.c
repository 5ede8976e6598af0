/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * preinit.c -- for programs that libmprof_malloc.a is a part of.  The
 * constructors of a program run when the dynamic linker has registered its
 * function for the end already (see session_end_at_exit); what is
 * listed here runs before.  Shared objects cannot have that, and need not.
 * So does what lets a monitor that is preloaded stand aside, before it has
 * begun anything (real_allocator.h). */
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"

static void
before_constructors(void)
{
  if (real_allocator_is_ours())
    session_end_at_exit();
}

static void (*const listed)(void)
    __attribute__((section(".preinit_array"), used)) = before_constructors;
