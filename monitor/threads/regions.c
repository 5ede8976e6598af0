/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * regions.c -- see regions.h; the public functions are in monitor.h.
 */
#include "threads/regions.h"

#include <pthread.h>

#include <ecl/ecl.h>

#include "monitor.h"
#include "monitor_internal.h"
#include "tree/region_table.h"
#include "hook/thread_state.h"
#include "threads/threads.h"

static struct region_table table;

/* Enter the region `name', or leave the innermost one when that is NULL.  A
 * thread that was never counted is in no region. */
static void
change(const char *name)
{
  struct thread_state *thread;
  pthread_mutex_lock(&monitor.lock);
  thread = threads_find(ecl_process_env_unsafe());
  if (thread != NULL) {
    const uint32_t before = thread->regions.region;
    if (name != NULL)
      region_enter(&table, KIND_REGIONS, &thread->regions, name);
    else
      region_leave(&table, &thread->regions, false);
    if (thread->regions.region != before)
      known_paths_forget(&thread->paths);
  }
  pthread_mutex_unlock(&monitor.lock);
}

int
mprof_monitor_region_begin(const char *name)
{
  change(name);
  return MPROF_OK;
}

int
mprof_monitor_region_end(void)
{
  change(NULL);
  return MPROF_OK;
}

const char *
regions_path(uint32_t region)
{
  return region == 0 ? "" : table.regions[region].path;
}

void
regions_comments(void (*put)(void *, const char *), void *closure)
{
  region_table_comments(&table, false, put, closure);
}

void
regions_forget(void)
{
  region_table_clear(&table);
}
