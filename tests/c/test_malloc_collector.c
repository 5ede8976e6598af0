/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_collector.c -- a program with a collector that stops all
 * threads by a signal, as libgc does: it sends it to each, and waits until
 * each has come to a stop.  One of them has the monitor's lock, another waits
 * for that to save.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "c/count/malloc_monitor.h"
#include "c/signal_guard.h"

enum { SUSPEND = SIGPWR, RESTART = SIGXCPU, SECONDS = 60 /* then killed */ };

/* What the monitor asks of libgc. */
int GC_get_suspend_signal(void);
int GC_get_thr_restart_signal(void);

int
GC_get_suspend_signal(void)
{
  return SUSPEND;
}

int
GC_get_thr_restart_signal(void)
{
  return RESTART;
}

static sem_t has_stopped, goes_on;

static void
stop_here(int signal)
{
  (void)signal;
  sem_post(&has_stopped);
  while (sem_wait(&goes_on) != 0)
    ;
}

static void
stop(pthread_t thread)
{
  pthread_kill(thread, SUSPEND);
  while (sem_wait(&has_stopped) != 0)
    ;
}

static sem_t is_locked;

static void *
hold_lock(void *unused)
{
  malloc_monitor_inside++; /* as in the hook */
  spin_lock(&malloc_monitor.lock);
  sem_post(&is_locked);
  while (sem_wait(&goes_on) != 0) /* it is stopped here */
    ;
  spin_unlock(&malloc_monitor.lock);
  malloc_monitor_inside--;
  return unused;
}

static int looks;

static sem_t is_about_to_look;

/* As before a fork. */
static void *
look(void *unused)
{
  struct signal_guard guard;
  sem_post(&is_about_to_look);
  signal_guard_begin(&guard, true);
  malloc_monitor_lock(&malloc_monitor);
  looks++;
  malloc_monitor_unlock(&malloc_monitor);
  signal_guard_end(&guard);
  return unused;
}

static void
test_stopped_holder(void **state)
{
  pthread_t holder, looker;
  (void)state;
  alarm(SECONDS);
  pthread_create(&holder, NULL, hold_lock, NULL);
  sem_wait(&is_locked);
  stop(holder);
  pthread_create(&looker, NULL, look, NULL);
  sem_wait(&is_about_to_look);
  stop(looker); /* which waits for the lock by now, or is about to */
  for (int i = 0; i < 3; i++)
    sem_post(&goes_on);
  pthread_join(holder, NULL);
  pthread_join(looker, NULL);
  assert_int_equal(looks, 1);
  alarm(0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stopped_holder)};
  const struct sigaction action = {.sa_handler = stop_here,
                                   .sa_flags = SA_RESTART};
  malloc_monitor.awaits_image = false; /* no file of it */
  malloc_monitor_count(false);
  sem_init(&has_stopped, 0, 0);
  sem_init(&goes_on, 0, 0);
  sem_init(&is_locked, 0, 0);
  sem_init(&is_about_to_look, 0, 0);
  sigaction(SUSPEND, &action, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
