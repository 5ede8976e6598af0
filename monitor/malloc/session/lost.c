/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lost.c -- see lost.h.
 *
 * The linker's lock comes before the monitor's, as a thread in dlopen may
 * allocate; where this thread has the monitor's it is too late for it, and
 * nothing is sought.
 */
#include "malloc/session/lost.h"

#include <stddef.h>

#include "code/code_objects.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/count/other_heap.h"
#include "malloc/count/own_stack.h"
#include "malloc/environment.h"
#include "malloc/image/process_image.h"
#include "malloc/interpose/objects.h"
#include "malloc/reach/reach.h"
#include "malloc/reach/roots.h"
#include "malloc/session/interruption.h"
#include "malloc/session/system_call_filter.h"
#include "tree/image.h"
#include "malloc/quiet.h"

static bool asked;

/* Of each thread, as one may end the process while another one is at it. */
static __thread const struct stopped_thread *ending
    __attribute__((tls_model("initial-exec")));

void
lost_open(void)
{
  asked = environment_value("MPROF_REACHABLE") != NULL;
  if (!asked)
    return;
  objects_list_all();
  roots_open();
}

bool
lost_is_asked(void)
{
  return asked;
}

static const char *
find_obstacle(void)
{
  if (other_heap != NULL)
    return "the program has Lisp objects";
  if (system_call_filter_is_set())
    return "the program filters its system calls";
  if (interruption_holds_lock() || objects_are_locked())
    return "a signal interrupted an allocation";
  return NULL;
}

/* Gives back why not, or NULL. */
static const char *
seek(void)
{
  struct code_objects objects = {0};
  struct quiet quiet;
  const char *why = "out of memory";
  quiet_begin(&quiet, true);
  malloc_monitor_inside++;
  if (code_objects_list(&objects, false)) {
    malloc_monitor_lock(&malloc_monitor);
    why = reach_seek(&objects, ending);
    malloc_monitor_unlock(&malloc_monitor);
  }
  code_objects_release(&objects);
  malloc_monitor_inside--;
  quiet_end(&quiet);
  return why;
}

static void
seek_and_say(void)
{
  const char *why = find_obstacle();
  if (why == NULL)
    why = seek();
  process_image_say("cannot find what is lost in", why);
}

void
lost_find(const struct stopped_thread *here)
{
  if (!asked || !image_is_open() || malloc_monitor.left)
    return;
  ending = here;
  if (!own_stack_call(seek_and_say))
    seek_and_say();
}
