/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_call_filter.c -- a program limits its own system calls (seccomp),
 * and is ended if it makes another one.  The monitor makes some as well: for
 * memory, and for room in its file, which is open already.
 *
 * A copy of the process that sets the same filter tries the calls first.  If
 * that ends the copy, room is made for what is still to come, and the monitor
 * makes no call any more: what then finds no room is counted over the budget.
 * Calls that only fail are borne as elsewhere. */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/wait.h"
#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/session/session.h"
#include "image/arena.h"
#include "image/image_file.h"

enum {
  SOME_BYTES = 4 * ARCH_PAGE,
  SPARE_RECORDS = 1 << 16, /* of contexts, at least, for what is to come */
  SPARE_THREADS = 32
};

/* Makes the call without the C library: to seek its function may allocate,
 * and allocators call syscall for memory. */
long
system_call_make(const struct system_call *call)
{
  const long result = arch_system_call(call->number, call->arguments);
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}

/* ---- a trial ---- */

static void
try_memory(void)
{
  struct arena fixed = {.most = 2 * SOME_BYTES}, moving;
  arena_grow(&fixed, SOME_BYTES);
  arena_grow(&fixed, 2 * SOME_BYTES);
  arena_clear(&fixed);
  arena_release(&fixed);
  if (arena_reserve(&moving, SOME_BYTES) == 0)
    arena_grow(&moving, 2 * SOME_BYTES);
  arena_release(&moving);
}

/* Makes all calls that the monitor makes, in the copy.  Whether they succeed
 * does not matter, as long as they do not end it: what fails later is borne.
 */
static int
try_calls(void *unused)
{
  static const long by_default[4]; /* struct sigaction as the kernel has it */
  const struct system_call default_action = {
      SYS_rt_sigaction, {SIGSYS, (long)by_default, 0, sizeof by_default[0]}};
  const struct system_call no_core = {SYS_prctl, {PR_SET_DUMPABLE}};
  struct timespec now;
  const struct system_call clock = {SYS_clock_gettime,
                                    {CLOCK_REALTIME, (long)&now}};
  char name[16];
  unsigned char resident;
  sigset_t signals;
  system_call_make(&default_action);
  system_call_make(&no_core);
  if (system_call_make(session.filter) < 0)
    return 0; /* nor will the program's succeed */
  pthread_sigmask(SIG_BLOCK, NULL, &signals); /* as process_image_say does */
  sigpending(&signals);
  try_memory();
  image_file_try();
  wait_a_little(0);
  wait_a_little(WAIT_YIELDS);
  pthread_getname_np(pthread_self(), name, sizeof name);
  system_call_make(&clock);
  mincore((void *)((uintptr_t)__builtin_frame_address(0) &
                   -(uintptr_t)sysconf(_SC_PAGESIZE)),
          1, &resident);
  (void)unused;
  return 0;
}

/* ---- before a filter ---- */

/* Returns whether a copy of the process survives the filter.  Nobody else is
 * in the monitor while the process is copied: the copy waits for nothing, and
 * handles no signal. */
static bool
filter_allows_monitor(void)
{
  int cancel;
  if (session.filter->number == SYS_seccomp &&
      ((unsigned long)session.filter->arguments[1] &
       SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0)
    return false; /* the kernel would ask another process about each call,
                     which may be waiting for this one */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  this_thread.inside++;
  malloc_monitor_lock(&malloc_monitor);
  const bool survived = image_file_copy_process(0, try_calls, NULL) == 0;
  malloc_monitor_unlock(&malloc_monitor);
  this_thread.inside--;
  pthread_setcancelstate(cancel, NULL);
  return survived;
}

static void
make_room(struct malloc_monitor *m)
{
  struct context_tree *const tree = &m->tree;
  this_thread.inside++;
  spin_lock(&m->lock);
  while (tree->room < tree->context_count + SPARE_RECORDS ||
         tree->room < tree->leaf_count + SPARE_RECORDS)
    if (!context_tree_make_room(tree))
      break;
  spin_unlock(&m->lock);
  malloc_threads_reserve(SPARE_THREADS);
  this_thread.inside--;
}

void
system_call_filter_before(const struct system_call *call)
{
  const bool open =
      session_keep_file() && malloc_monitor_open(&malloc_monitor);
  session.filter = call;
  if (open && filter_allows_monitor())
    return;
  if (open)
    make_room(&malloc_monitor);
  arenas_seal();
}
