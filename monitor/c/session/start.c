/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * start.c -- the monitor begins in a process, and has exit call it. */
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/objects.h"
#include "c/session/session.h"

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int __cxa_at_quick_exit(void (*)(void *), void *);

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

static void
register_handlers(void)
{
  threads_open();
  fork_open();
  __cxa_at_quick_exit(end, NULL); /* what else it calls may allocate */
  session_end_at_exit();
  session.has_handlers = true;
}

void
session_begin(void)
{
  const char *const count = environment_value("MPROF_COUNT");
  const unsigned long recent = environment_number("MPROF_TEMPORARY", 1);
  const bool on = environment_is_trusted() &&
                  (count == NULL || strcmp(count, "off") != 0);
  this_thread.inside++;
  monitor.objects = &live_objects.lock;
  own_process_known();
  session.process = getpid();
  process_image_read_name();
  stripes.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  if (!session.has_handlers)
    register_handlers();
  leak_search_open();
  fatal_signals_open();
  monitor_count(on);
  if (!on)
    monitor_forget(&monitor);
  monitor.awaits_image = true;
  if (on && monitor.ready) /* something was counted already */
    monitor_open(&monitor);
  monitor.ready = !monitor.awaits_image;
  if (environment_value("MPROF_WATCHED") != NULL) {
    __libc_single_threaded = 0; /* a reader from outside takes locks, too */
    stripes.watched = true;
    monitor_open(&monitor);
  }
  this_thread.inside--;
}
