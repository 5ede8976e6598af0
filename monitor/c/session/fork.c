/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fork.c -- the monitor is locked while the process is copied by fork, and
 * the copy, however it was made, begins when it first counts or frees
 * (count/monitor.h). */
#include <errno.h>
#include <unistd.h>

#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/objects.h"
#include "c/session/session.h"
#include "image/arena.h"
#include "image/image.h"

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                             void *);

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
      __atomic_load_n(&own_process.known, __ATOMIC_ACQUIRE);
  if (this_thread.fork_locked) {
    spin_lock(&monitor.lock);
    spin_lock(&live_objects.lock);
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
    spin_unlock(&live_objects.lock);
    spin_unlock(&monitor.lock);
  }
  end_fork();
  errno = saved;
}

/* Begins the child at once if the fork has interrupted a count in it. */
static void
after_fork_in_child(void)
{
  own_process_forked();
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
  spin_unlock(&live_objects.lock);
  unloaded_code_forked();
  process_image.first = false;
  const bool good = image_forked();
  if (good) {
    monitor_forked(&monitor);
    threads_forked();
    session.process = getpid();
    if (process_selection_excludes_children()) {
      monitor.awaits_image = false;
      monitor_count(false);
      arenas_seal();
    }
  }
  this_thread.inside--;
  return good;
}

/* Registers them as pthread_atfork does, which not every C library has. */
void
fork_open(void)
{
  monitor.begin_copy = begin_copy;
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child,
                    NULL);
}
