/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_events.c -- see code_events.h.
 *
 * Events come from any thread, without the monitor's lock.  Before code is
 * unmapped its sites are retired in all trees (code_objects.h), with the
 * gates shut, since the same addresses may be other code's next.
 */
#include "code_events.h"

#include <pthread.h>

#include <ecl/ecl.h>
#include <gc/gc.h>

#include "code/code_functions.h"
#include "code/lisp_functions.h"
#include "names/kept_objects.h"
#include "threads/monitor_state.h"
#include "threads/stop.h"
#include "threads/threads.h"
#include "walk/call_site.h"

static void
retire(const struct code_object *gone)
{
  struct code_object *o = code_functions_retire(gone);
  __atomic_fetch_add(&call_sites_generation, 1, __ATOMIC_RELEASE);
  if (o != NULL)
    threads_rename_sites(code_object_retired_site, o);
}

bool
code_events_look(void)
{
  struct code_objects now = { 0 };
  if (!code_objects_list(&now, false))
    return false;
  code_objects_compare(&monitor.code, &now, retire);
  code_objects_release(&monitor.code);
  monitor.code = now;
  return true;
}

/* A compiled file was loaded. */
static void
names_added(struct ecl_function_names *names)
{
  monitor_lock_for_event();
  lisp_functions_add(names);
  __atomic_fetch_add(&call_sites_generation, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&monitor.lock);
}

/* Symbols are about to lose their package, or that its name. */
static void
names_lost(void)
{
  monitor_lock_for_event();
  kept_objects_print_names(false);
  pthread_mutex_unlock(&monitor.lock);
}

/* The shared object at `base' is about to be unmapped.  Afterwards nobody
 * looks for it in the list: the last one takes its place. */
static void
block_unload(cl_object block, void *base)
{
  struct code_objects *const code = &monitor.code;
  (void)block;
  monitor_lock_for_event();
  stop_set_gates(monitor.running ? GATE_PAUSED : GATE_CLOSED);
  code_events_look();
  for (size_t i = 1; i < code->count; i++)
    if (code->objects[i].base == (uintptr_t)base) {
      retire(&code->objects[i]);
      code->objects[i] = code->objects[--code->count];
      break;
    }
  if (monitor.running)
    stop_set_gates(GATE_OPEN);
  pthread_mutex_unlock(&monitor.lock);
}

/* A file that is loaded meanwhile tells of itself when the lock is free; to
 * be told of it twice is no harm. */
bool
code_events_open(void)
{
  if (code_functions_open() != 0 || kept_objects_reserve(KEPT_OBJECTS) != 0)
    return false;
  ecl_allocation_monitor.names_added = names_added;
  ecl_allocation_monitor.names_lost = names_lost;
  ecl_allocation_monitor.block_unload = block_unload;
  lisp_functions_open();
  return true;
}
