/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_state.c -- the one monitor, and who waits for it.
 */
#include "threads/monitor_state.h"

struct monitor monitor = { .lock = PTHREAD_MUTEX_INITIALIZER,
                           .waiting_lock = PTHREAD_MUTEX_INITIALIZER };

/* On the stack of that thread. */
struct waiting_thread {
  cl_env_ptr env;
  struct waiting_thread *next;
};

void
monitor_lock_for_event(void)
{
  struct waiting_thread here = { .env = ecl_process_env_unsafe() };
  struct waiting_thread **p = &monitor.waiting;
  pthread_mutex_lock(&monitor.waiting_lock);
  here.next = monitor.waiting;
  monitor.waiting = &here;
  pthread_mutex_unlock(&monitor.waiting_lock);
  pthread_mutex_lock(&monitor.lock);
  pthread_mutex_lock(&monitor.waiting_lock);
  while (*p != &here)
    p = &(*p)->next;
  *p = here.next;
  pthread_mutex_unlock(&monitor.waiting_lock);
}

bool
monitor_is_waited_for(cl_env_ptr env)
{
  const struct waiting_thread *w;
  pthread_mutex_lock(&monitor.waiting_lock);
  w = monitor.waiting;
  while (w != NULL && w->env != env)
    w = w->next;
  pthread_mutex_unlock(&monitor.waiting_lock);
  return w != NULL;
}
