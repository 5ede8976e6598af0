/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_call_filter.c -- see system_call_filter.h.
 */
#include "malloc/session/system_call_filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "code/code_objects.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/session/control.h"
#include "malloc/session/end_signals.h"
#include "malloc/session/helper.h"
#include "malloc/session/malloc_session.h"
#include "malloc/session/profile_file.h"
#include "tree/arena.h"
#include "tree/image.h"
#include "tree/wait.h"
#include "write/quiet.h"

enum { SOME_BYTES = 1 << 14 };

static const struct system_call *tried;

static int
do_nothing(void *unused)
{
  (void)unused;
  return 0;
}

/* What counting needs.  At a place of its own: what is taken from the spare,
 * which this thread has, makes no call. */
static void
try_memory(void)
{
  struct arena arena;
  if (arena_place(&arena, SOME_BYTES, SOME_BYTES) != 0)
    return;
  arena_grow(&arena, 2 * SOME_BYTES);
  arena_wipe_on_fork(&arena);
  arena_clear(&arena);
  arena_release(&arena);
}

/* What saving begins and ends with, when a write has sent a signal. */
static void
try_quiet(void)
{
  struct quiet quiet;
  quiet_begin(&quiet, true);
  raise(SIGPIPE);
  quiet_end(&quiet);
}

/* In the copy.  Whether they succeed does not matter, as long as they do not
 * end it: what fails later is borne. */
static int
try_calls(void *unused)
{
  char name[16];
  struct timespec now;
  stack_t stack;
  ssize_t ignored;
  (void)unused;
  end_signals_leave(SIGSYS);
  prctl(PR_SET_DUMPABLE, 0); /* its end leaves no core file */
  if (system_call_make(tried) < 0)
    return 0; /* nor will the program's succeed */
  try_memory();
  try_quiet();
  profile_file_try();
  wait_a_little(0);
  wait_a_little(WAIT_YIELDS);
  pthread_getname_np(pthread_self(), name, sizeof name);
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now); /* see pprof_open */
  sigaltstack(NULL, &stack);
  end_signals_leave(SIGTERM);
  ignored = write(STDERR_FILENO, name, 0);
  (void)ignored;
  return 0;
}

/* Whether files can be opened as before, and asked what is loaded. */
static int
try_files(void *unused)
{
  struct arena arena;
  unsigned char resident[SOME_BYTES / 4096];
  try_calls(unused);
  profile_file_try_new();
  if (arena_reserve(&arena, SOME_BYTES) == 0)
    mincore(arena.base, SOME_BYTES, resident);
  return 0;
}

/* Whether another filter can be tried later. */
static int
try_helper(void *unused)
{
  try_calls(unused);
  return helper_run(do_nothing, NULL, true);
}

/* Whether the kernel would ask another process about each call, which may be
 * waiting for this one. */
static bool
has_listener(void)
{
  return tried->number == SYS_seccomp &&
         ((unsigned long)tried->arguments[1] &
          SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
}

/* All is locked.  0: the filter lets the monitor go on. */
static int
try_filter(struct code_objects *objects)
{
  (void)objects;
  if (has_listener() || helper_run(try_calls, NULL, true) != 0)
    return EPERM;
  if (helper_run(try_files, NULL, true) != 0) {
    profile_file_only_kept();
    code_objects_ask_nothing();
  }
  if (helper_run(try_helper, NULL, true) != 0)
    helper_forbid();
  return 0;
}

bool
system_call_filter_is_set(void)
{
  return tried != NULL;
}

void
system_call_filter_before(const struct system_call *call)
{
  if (!malloc_session_keep())
    return;
  control_end("it has restricted its system calls");
  malloc_session_save();
  image_freeze();
  tried = call;
  if (!malloc_monitor_open(&malloc_monitor) ||
      malloc_session_locked(try_filter) != 0)
    malloc_session_seal();
}
