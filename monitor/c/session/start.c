/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * start.c -- the monitor begins in a process, has exit call it, and is locked
 * while the process is copied by fork.  A copy, however it was made, begins
 * when it first counts or frees (count/monitor.h). */
#include <errno.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/session/session.h"
#include "image/arena.h"
#include "image/image.h"

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                             void *);
extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int __cxa_at_quick_exit(void (*)(void *), void *);

/* ---- forks ---- */

/* Locks what the copy goes on with, so that nobody else changes it meanwhile.
 * Locks nothing in a handler of a signal that interrupted the monitor: others
 * may wait for what this thread has locked. */
static void
before_fork(void)
{
  const int saved = errno;
  this_thread.forking = true;
  this_thread.fork_locked =
      this_thread.inside++ == 0 &&
      __atomic_load_n(&monitor.own.known, __ATOMIC_ACQUIRE);
  if (this_thread.fork_locked) {
    spin_lock(&monitor.lock);
    spin_lock(&monitor.objects.lock);
    image_fork_lock();
  }
  errno = saved;
}

static void
end_fork(void)
{
  this_thread.inside--;
  this_thread.forking = false;
}

static void
after_fork_in_parent(void)
{
  const int saved = errno;
  if (this_thread.fork_locked) {
    image_fork_unlock();
    spin_unlock(&monitor.objects.lock);
    spin_unlock(&monitor.lock);
  }
  end_fork();
  errno = saved;
}

/* Begins the child at once if the fork has interrupted a count in it.
 * Empties the page of the process, for kernels that do not. */
static void
after_fork_in_child(void)
{
  memset(&monitor.own, 0, sizeof monitor.own);
  if (this_thread.inside > 1)
    own_process_known();
  end_fork();
}

/* Begins in a copy of the process.  Locks are as another thread left them.
 * Returns false, and the copy counts nothing, if it cannot leave its parent's
 * image. */
static bool
begin_copy(void)
{
  this_thread.inside++;
  spin_unlock(&monitor.objects.lock);
  process_image.first = false;
  const bool good = image_forked();
  if (good) {
    monitor_forked();
    if (process_selection_excludes_children()) {
      monitor.awaits_image = false;
      monitor_count(false);
      arenas_seal();
    }
  }
  this_thread.inside--;
  return good;
}

/* ---- begin and end ---- */

/* Runs the search for lost objects; exit() calls it. */
static void
end(void *unused)
{
  (void)unused;
  leak_search_run();
}

/* Destructors of libraries free, and may run after those of this one.  One
 * function of the dynamic linker calls them all, which is registered as with
 * atexit, but later than this: the last registered is called first.  This
 * handler belongs to no library, or that function would call it. */
void
session_end_at_exit(void)
{
  if (!session.has_end)
    session.has_end = __cxa_atexit(end, NULL, NULL) == 0;
}

/* Registers handlers of forks as pthread_atfork does, which not every C
 * library has. */
static void
register_handlers(void)
{
  threads_open();
  monitor.begin_copy = begin_copy;
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child,
                    NULL);
  __cxa_at_quick_exit(end, NULL); /* what else it calls may allocate */
  session_end_at_exit();
}

void
session_begin(void)
{
  const char *const count = environment_value("MPROF_COUNT");
  const unsigned long recent = environment_number("MPROF_TEMPORARY", 1);
  const bool on = environment_is_trusted() &&
                  (count == NULL || strcmp(count, "off") != 0);
  this_thread.inside++;
  own_process_known();
  process_image_read_name();
  stripes.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  if (monitor.begin_copy == NULL)
    register_handlers();
  second_allocator_bind();
  leak_search_open();
  fatal_signals_open();
  monitor_count(on);
  if (!on)
    monitor_forget();
  monitor.awaits_image = true;
  if (on && monitor.ready) /* something was counted already */
    monitor_open();
  monitor.ready = !monitor.awaits_image;
  if (environment_value("MPROF_WATCHED") != NULL) {
    __libc_single_threaded = 0; /* a reader from outside takes locks, too */
    stripes.watched = true;
    monitor_open();
  }
  this_thread.inside--;
}
