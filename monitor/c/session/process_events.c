/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.c -- a process ends without its destructors, unloads code,
 * or filters its system calls (seccomp).  These are functions of the C
 * library with mprof before them.
 *
 * Code that is unloaded gets its name before its addresses are used again.
 *
 * A filter may end the program for a call that the monitor makes: for memory,
 * or to open a file.  The monitor does not read the filter: it reserves room
 * before the filter is set, and makes no system call afterwards
 * (arenas_seal).  Allocations beyond that room are counted over the budget,
 * and children get no image. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/image/process_image.h"
#include "c/interpose/interposed.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"
#include "code/frame_rule.h"
#include "image/arena.h"
#include "image/image.h"

/* ---- filters of system calls ---- */

/* What there is room for after a filter. */
enum {
  SPARE_RECORDS = 1 << 16, /* of contexts, of leaves, of objects */
  SPARE_SITES = 1 << 14,   /* call sites, and functions */
  SPARE_NOTES = 1 << 14,   /* bytes */
  SPARE_THREADS = 32
};

static void
reserve(struct shared_table *table)
{
  spin_lock(&table->lock);
  shared_table_reserve(table, SPARE_SITES);
  spin_unlock(&table->lock);
}

static void
make_room(void)
{
  threads_reserve(SPARE_THREADS);
  reserve(&monitor.functions.table);
  reserve(&frame_rules);
  image_reserve_notes(SPARE_NOTES);
  spin_lock(&monitor.lock);
  context_tree_reserve(&monitor.tree, SPARE_RECORDS);
  spin_unlock(&monitor.lock);
  object_table_make_room(&monitor.objects, SPARE_RECORDS);
}

/* Prepares for a filter of system calls, which the process is about to set.
 * Makes no room in a handler of a signal that interrupted the monitor, whose
 * locks the thread has.  Returns false where the monitor makes no call
 * anyway.
 */
static bool
prepare_for_filter(void)
{
  const int saved = errno;
  if (!own_process_known() || !session_is_ours())
    return false;
  if (this_thread.inside++ == 0) {
    if (session.leak_reader != 0)
      process_image_say("cannot find what is lost in",
                        "the program filters its system calls");
    if (monitor_open())
      make_room();
  }
  this_thread.inside--;
  arenas_seal();
  errno = saved;
  return true;
}

/* Returns whether the call, unless it is refused, sets a filter.  Programs
 * ask with a null pointer what the kernel knows. */
static bool
sets_filter(long number, const long *a)
{
  if (number == SYS_prctl)
    return a[0] == PR_SET_SECCOMP &&
           (a[1] == SECCOMP_MODE_STRICT || a[2] != 0);
  return number == SYS_seccomp &&
         (a[0] == SECCOMP_SET_MODE_STRICT ||
          (a[0] == SECCOMP_SET_MODE_FILTER && a[2] != 0));
}

/* Makes the call, as the C library's function does: to look that up may
 * allocate, and allocators call syscall for memory. */
static long
make_call(long number, const long *arguments)
{
  if (number == SYS_exit_group)
    leak_search_run();
  const bool filters = sets_filter(number, arguments) && prepare_for_filter();
  const long result = arch_system_call(number, arguments);
  const bool failed = result < 0 && result >= -4095;
  if (filters && failed)
    arenas_unseal();
  if (!failed)
    return result;
  errno = (int)-result;
  return -1;
}

/* Most calls take fewer arguments, and do not look at what is passed on. */
EXPORT long interposed_syscall(long number, long a, long b, long c, long d,
                               long e, long f) __asm__("syscall");
EXPORT int interposed_prctl(int option, long a, long b, long c,
                            long d) __asm__("prctl");

long
interposed_syscall(long number, long a, long b, long c, long d, long e,
                   long f)
{
  const long arguments[6] = {a, b, c, d, e, f};
  return make_call(number, arguments);
}

int
interposed_prctl(int option, long a, long b, long c, long d)
{
  const long arguments[6] = {option, a, b, c, d};
  return (int)make_call(SYS_prctl, arguments);
}

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
