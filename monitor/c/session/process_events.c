/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.c -- a process ends without its destructors, or unloads
 * code.  These are functions of the C library with mprof before or behind
 * them.
 *
 * Code that is unloaded gets its name before its addresses are used again.
 */
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "c/count/monitor.h"
#include "c/count/unloaded_code.h"
#include "c/interpose/interposed.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"

/* ---- the end ---- */

static void (*real_exit)(int); /* NULL: not sought yet */

/* Before a fork, whose child would have to do it itself. */
static void __attribute__((constructor)) find_exit(void)
{
  real_function(&real_exit, "_exit");
}

EXPORT void
_exit(int status)
{
  leak_search_run();
  if (real_exit == NULL)
    find_exit();
  if (real_exit != NULL)
    real_exit(status);
  syscall(SYS_exit_group, status); /* nothing is found in a static program */
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
  malloc_monitor_inside++;
  if (!real_allocator_bypassed())
    unloaded_code_check();
  malloc_monitor_inside--;
}

EXPORT int
dlclose(void *handle)
{
  int (*const function)(void *) = BEHIND(dlclose);
  check_code();
  const int status = function(handle);
  check_code();
  return status;
}

/* ---- for who attaches ---- */

OWN(dlclose);

static void *behind;

static const struct interposed_function functions[] = {
    {"dlclose", &behind, own_dlclose}, {.real = NULL}};

const struct interposed_function *
process_event_functions(void)
{
  real_function(&behind, functions[0].name);
  return functions;
}
