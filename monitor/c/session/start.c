/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/session/session.h"

#include <errno.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/count/unloaded_code.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"
#include "c/process_selection.h"
#include "image/arena.h"
#include "image/image.h"

static pid_t process;

bool
session_is_ours(void)
{
  return own_process.known && !arenas_are_sealed() &&
         !real_allocator_bypassed() &&
         (process == 0 || process == getpid());
}

bool
session_keep_file(void)
{
  const int saved = errno;
  if (!own_process_known() || !session_is_ours())
    return false;
  process_image_keep_open();
  errno = saved;
  return true;
}

void
session_exec_unmonitored(const char *why)
{
  if (session_is_ours() && process_image_is_first())
    process_image_say("nothing more goes to", why);
}

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int __cxa_at_quick_exit(void (*)(void *), void *);
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                             void *);

/* Runs the search for lost objects; exit() calls it. */
static void
end(void *unused)
{
  (void)unused;
  leak_search_run();
}

void
session_end_at_exit(void)
{
  static bool registered;
  if (!registered)
    registered = __cxa_atexit(end, NULL, NULL) == 0;
}

/* ---- forks ---- */

/* What the thread that forks had locked, if a signal has interrupted it in the
 * hook; of the thread that has the locks. */
static struct {
  uint32_t stripes; /* as stripes_release returned */
  bool locked;      /* the monitor */
} forking;

/* The process has not begun when this thread forks: its figures are no copy's,
 * and nothing is locked. */
static __thread bool fork_skipped __attribute__((tls_model("initial-exec")));

/* Locks the monitor: nobody else is in it while the process is copied. */
static void
before_fork(void)
{
  const int saved = errno;
  fork_skipped = !__atomic_load_n(&own_process.known, __ATOMIC_ACQUIRE);
  malloc_monitor_forking = true;
  malloc_monitor_inside++;
  if (!fork_skipped) {
    const uint32_t released = stripes_release();
    const bool locked = spin_lock_once(&malloc_monitor.lock);
    stripes_lock();
    objects_lock();
    image_fork_lock();
    forking.stripes = released;
    forking.locked = locked;
  }
  errno = saved;
}

static void
end_fork(void)
{
  malloc_monitor_inside--;
  malloc_monitor_forking = false;
}

static void
after_fork_in_parent(void)
{
  const int saved = errno;
  if (!fork_skipped) {
    const uint32_t released = forking.stripes;
    const bool locked = forking.locked;
    image_fork_unlock();
    objects_unlock();
    stripes_unlock();
    if (!locked)
      spin_unlock(&malloc_monitor.lock);
    stripes_retake(released);
  }
  end_fork();
  errno = saved;
}

/* Begins the child at once if the fork has interrupted a count in it. */
static void
after_fork_in_child(void)
{
  own_process_forked();
  if (malloc_monitor_inside > 1)
    own_process_known();
  end_fork();
}

/* Begins in a copy of the process.  Locks are as another thread left them.
 * Where a filter of system calls forbids to give back the memory of the
 * parent's image, the copy counts nothing. */
static bool
begin_copy(void)
{
  malloc_monitor_inside++;
  objects_unlock();
  unloaded_code_forked();
  process_image_forked();
  const bool good = !arenas_are_sealed() && image_forked();
  if (good) {
    malloc_monitor_forked(&malloc_monitor);
    malloc_threads_forked();
    process = getpid();
  }
  if (good && process_selection_excludes_children()) {
    malloc_monitor.awaits_image = false;
    malloc_monitor_count(false);
    arenas_seal();
  }
  malloc_monitor_inside--;
  return good;
}

/* ---- begin ---- */

static void
register_handlers(void)
{
  malloc_threads_open();
  own_process_begin_copy = begin_copy;
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child,
                    NULL);        /* pthread_atfork, for any C library */
  __cxa_at_quick_exit(end, NULL); /* what else it calls may allocate */
  session_end_at_exit();
}

/* Has locks taken as if there were another thread: a reader from outside
 * takes the locks of stripes, too. */
static void
be_watched(void)
{
  __libc_single_threaded = 0;
  stripes.watched = true;
  malloc_monitor_open(&malloc_monitor);
}

void
session_begin(void)
{
  static bool registered;
  const char *const count = environment_value("MPROF_COUNT");
  const unsigned long recent = environment_number("MPROF_TEMPORARY", 1);
  const bool on = environment_is_trusted() &&
                  (count == NULL || strcmp(count, "off") != 0);
  malloc_monitor_inside++;
  own_process_known();
  process = getpid();
  process_image_read_name();
  stripes.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  if (!registered)
    register_handlers();
  registered = true;
  leak_search_open();
  fatal_signals_open();
  malloc_monitor_count(on);
  if (!on)
    malloc_monitor_forget(&malloc_monitor);
  malloc_monitor.awaits_image = true;
  if (on && malloc_monitor.ready) /* something was counted already */
    malloc_monitor_open(&malloc_monitor);
  malloc_monitor.ready = !malloc_monitor.awaits_image;
  if (environment_value("MPROF_WATCHED") != NULL)
    be_watched();
  malloc_monitor_inside--;
}

static void __attribute__((constructor)) begin(void)
{
  if (!attach_is_awaited() && real_allocator_is_ours())
    session_begin();
}
