/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pause.c -- hold up all threads while counting, settled with the collector.
 *
 * Model.  The time that is counted is a row of runs, each from the opening of
 * the gates to their next pause.  At both ends the collector is asked what it
 * has given out; the difference is added to the sum that the reconciliation
 * compares with the hook's own.  The answer is only good if no thread is in
 * the middle of an allocation (safepoint.h), so it is asked until it is.
 *
 * Not done here: what the collector's answer consists of
 * (collector_balance.c).
 */
#include "threads/pause.h"

#include <ecl/ecl.h>

#include "balance/free_lists.h"
#include "threads/gates.h"
#include "monitor_internal.h"
#include "names/kept_objects.h"
#include "threads/safepoint.h"
#include "threads/threads.h"

static int64_t
bytes_on_lists(void *closure)
{
  int64_t bytes = monitor.ended_list_bytes;
  (void)closure;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    int64_t more = t->env == NULL ? 0 : free_lists_bytes(t->thread);
    if (more < 0)
      return -1;
    bytes += more;
  }
  return bytes;
}

enum { SUM_ATTEMPTS = 1000 };

struct collector_balance
balance_at_rest(bool running)
{
  struct collector_balance b = { 0 };
  cl_env_ptr self = ecl_process_env();
  for (int attempt = 0; attempt < SUM_ATTEMPTS; attempt++) {
    struct safepoint_held before, after;
    size_t to_come;
    if (threads_count_all(running) < 0)
      break;
    to_come = monitor.roster.to_come;
    gates_set(GATE_PAUSED);
    b.at_rest = safepoint_wait(monitor.threads, self);
    before = safepoint_held(monitor.threads);
    b = collector_balance(bytes_on_lists, NULL);
    gates_barrier();
    b.at_rest = safepoint_wait(monitor.threads, self);
    after = safepoint_held(monitor.threads);
    b.bytes -= after.rounded_bytes;
    if (!b.at_rest || (after.count == before.count &&
                       threads_count_all(running) == 0 &&
                       monitor.roster.to_come == to_come))
      return b;
  }
  b.at_rest = false;
  return b;
}

void
pause_counting(void)
{
  struct collector_balance now;
  gates_set(GATE_PAUSED);
  now = balance_at_rest(true);
  monitor.collector_bytes += now.bytes - monitor.at_start.bytes;
  monitor.lists_read &= now.lists_read && monitor.at_start.lists_read;
  monitor.page_settled &= now.page_settled && monitor.at_start.page_settled;
  monitor.at_rest &= now.at_rest && monitor.at_start.at_rest;
}

void
resume_counting(void)
{
  monitor.at_start = balance_at_rest(true);
  gates_set(GATE_OPEN);
}

/* Printing waits for the runtime's lock on packages, and a thread that holds
 * it may wait at its gate: it is in the middle of INTERN, say, which
 * allocates.  So names are printed before, until none is missing. */
void
pause_with_names(void)
{
  for (;;) {
    kept_objects_print_names(true);
    pause_counting();
    if (!kept_objects_names_wait())
      return;
    resume_counting();
  }
}
