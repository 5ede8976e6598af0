/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lost.c -- see lost.h.
 */
#include "malloc/session/lost.h"

#include <stddef.h>

#include "malloc/count/other_heap.h"
#include "malloc/environment.h"
#include "malloc/interpose/objects.h"
#include "malloc/reach/reach.h"
#include "malloc/reach/roots.h"
#include "malloc/session/interruption.h"
#include "malloc/session/system_call_filter.h"

static bool asked;

/* Of each thread, as one may end the process while another one is at it. */
static __thread struct {
  const struct stopped_thread *here; /* NULL: it is not the last profile */
  const char *obstacle;              /* NULL: there is none */
} lost __attribute__((tls_model("initial-exec")));

void
lost_open(void)
{
  asked = environment_value("MPROF_REACHABLE") != NULL;
  if (!asked)
    return;
  objects_list_all();
  roots_open();
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

void
lost_begin(const struct stopped_thread *here)
{
  if (!asked)
    return;
  lost.here = here;
  lost.obstacle = find_obstacle();
}

bool
lost_is_wanted(void)
{
  return lost.here != NULL;
}

void
lost_seek(const struct code_objects *code)
{
  if (lost.here == NULL || lost.obstacle != NULL)
    return;
  lost.obstacle = reach_seek(code, lost.here);
}

const char *
lost_end(void)
{
  const char *const obstacle = lost.here == NULL ? NULL : lost.obstacle;
  lost.here = NULL;
  return obstacle;
}
