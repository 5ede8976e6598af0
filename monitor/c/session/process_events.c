/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.c -- a process ends without its destructors, or unloads
 * code.  These are functions of the C library with mprof before or behind
 * them.
 *
 * Code that is unloaded gets its name before its addresses are used again. */
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "c/count/monitor.h"
#include "c/count/unloaded_code.h"
#include "c/interpose/interposed.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"

/* ---- the end ---- */

EXPORT void
_exit(int status)
{
  const long arguments[6] = {status};
  leak_search_run();
  real_allocator_found();
  if (real._exit != NULL)
    real._exit(status);
  arch_system_call(SYS_exit_group, arguments); /* in a static program */
  __builtin_unreachable();
}

EXPORT void
_Exit(int status)
{
  _exit(status);
}

/* ---- code that goes away ---- */

/* Looks for unloaded code; keeps the errno of the call that it belongs to. */
static void
check_code(void)
{
  this_thread.inside++;
  if (!real_allocator_bypassed())
    unloaded_code_check();
  this_thread.inside--;
}

EXPORT int
dlclose(void *handle)
{
  real_allocator_found();
  check_code();
  const int status = real.dlclose(handle);
  check_code();
  return status;
}

/* ---- for who attaches ---- */

OWN(dlclose);

const struct interposed_function process_event_functions[2] = {
    {"dlclose", &real.dlclose, own_dlclose}, {.real = NULL}};
