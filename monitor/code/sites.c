/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sites.c -- which function a call site is in, as code comes and goes.
 *
 * Model.  The trees hold sites, not functions.  While its code is loaded a
 * site is an address, which code_index knows.  Before the code is unmapped,
 * each of its sites that a tree holds is *retired*: in all trees it becomes a
 * number for good, whose function is written down here.  The gates are shut
 * for that, since the same addresses may be other code's next.
 *
 * Invariant: retired_site[i] is 0 but while sites of one shared object are
 * being retired; retired[i] never changes.
 */
#include "code/sites.h"

#include <pthread.h>
#include <stdlib.h>

#include "code/code_index.h"
#include "threads/monitor_state.h"
#include "threads/stop.h"
#include "threads/threads.h"
#include "tree/sizes.h"
#include "walk/rule_cache.h"

enum {
  FUNCTIONS_OF_SPECIAL = 0x1FFFF00 /* | enum site_special */
};

uint32_t
monitor_function_of(uint64_t site)
{
  if ((site & SITE_OBJECT) != 0)
    return code_index_object((cl_object)(uintptr_t)(site & ~SITE_OBJECT));
  if ((site & SITE_RETIRED) != 0)
    return monitor.retired[site & ~SITE_RETIRED];
  if ((site & SITE_SPECIAL) != 0)
    return FUNCTIONS_OF_SPECIAL | (uint32_t)(site & ~SITE_SPECIAL);
  if ((site & SITE_PASSING) != 0)
    return code_index_passing_apply();
  return code_index_function_at((uintptr_t)site);
}

uint32_t
sites_function_in_tree(void *closure, uint64_t site, uint32_t caller)
{
  uint32_t number = code_index_called(monitor_function_of(site), caller);
  uint32_t role = (uint32_t)code_index_phase_role(number);
  uint32_t function = number | role << FUNCTION_ROLE_SHIFT;
  (void)closure;
  switch (code_index_role(number)) {
  case ROLE_RUNTIME: return function | FUNCTION_HIDDEN;
  case ROLE_ROOT: return function | FUNCTION_ROOT;
  case ROLE_SHOWN:
  default: return function;
  }
}

bool
sites_function_depends(uint32_t function)
{
  return code_index_is_apply(function & FUNCTION_NUMBER);
}

void
sites_names_added(struct ecl_function_names *names)
{
  (void)names;
  monitor_lock_for_event();
  if (monitor.running)
    code_index_update();
  pthread_mutex_unlock(&monitor.lock);
}

void
sites_names_lost(void)
{
  monitor_lock_for_event();
  code_index_print_names(false);
  pthread_mutex_unlock(&monitor.lock);
}

struct unloaded {
  uintptr_t start, end;
};

/* The number for good of a site whose code goes away. */
static uint64_t
retire_site(void *closure, uint64_t site)
{
  const struct unloaded *u = closure;
  uint32_t function;
  if (site < u->start || site >= u->end)
    return site;
  for (uint32_t i = monitor.retired_count; i-- > 0;)
    if (monitor.retired_site[i] == site)
      return SITE_RETIRED | i;
  if (monitor.retired_count == monitor.retired_room) {
    uint32_t room = monitor.retired_room == 0 ? SIZE_FIRST_ROOM
                                              : monitor.retired_room * 2;
    uint32_t *functions = realloc(monitor.retired, room * sizeof *functions);
    uintptr_t *sites;
    if (functions == NULL)
      return site;
    monitor.retired = functions;
    sites = realloc(monitor.retired_site, room * sizeof *sites);
    if (sites == NULL)
      return site;
    monitor.retired_site = sites;
    monitor.retired_room = room;
  }
  function = code_index_function_at((uintptr_t)site);
  monitor.retired[monitor.retired_count] = function;
  monitor.retired_site[monitor.retired_count] = (uintptr_t)site;
  return SITE_RETIRED | monitor.retired_count++;
}

void
sites_block_unload(cl_object block, void *base)
{
  struct unloaded u;
  uint32_t first = monitor.retired_count;
  (void)block;
  monitor_lock_for_event();
  if (monitor.threads != NULL) {
    code_index_range((uintptr_t)base, &u.start, &u.end);
    if (u.start == u.end && code_index_update() == 0)
      /* C, loaded late */
      code_index_range((uintptr_t)base, &u.start, &u.end);
    stop_set_gates(monitor.running ? GATE_PAUSED : GATE_CLOSED);
    threads_rename_sites(retire_site, &u);
    /* the same addresses will be other code's */
    for (uint32_t i = first; i < monitor.retired_count; i++)
      monitor.retired_site[i] = 0;
    code_index_unload((uintptr_t)base);
    rule_cache_forget(u.start, u.end);
    if (monitor.running)
      stop_set_gates(GATE_OPEN);
  }
  pthread_mutex_unlock(&monitor.lock);
}
