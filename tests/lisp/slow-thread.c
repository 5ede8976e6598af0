/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slow-thread.c -- preloaded: one thread begins slowly.  Its parent waits
 * before it makes it, and the thread itself between its registration with the
 * collector, at whose end it posts a semaphore, and all that ECL knows of it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int slow_wanted; /* set by the program: the next thread */
int slow_begins; /* set here */

static _Thread_local int is_slow;

static struct {
  void *(*routine)(void *);
  void *argument;
} start;

static void
wait_a_while(void)
{
  const struct timespec pause = {.tv_nsec = 100000000};
  nanosleep(&pause, NULL);
}

static void *
begin(void *unused)
{
  (void)unused;
  is_slow = 1;
  return start.routine(start.argument);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
               void *(*routine)(void *), void *argument)
{
  int (*const next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                    void *) = dlsym(RTLD_NEXT, "pthread_create");
  if (!__atomic_exchange_n(&slow_wanted, 0, __ATOMIC_SEQ_CST))
    return next(thread, attributes, routine, argument);
  start.routine = routine;
  start.argument = argument;
  __atomic_store_n(&slow_begins, 1, __ATOMIC_SEQ_CST);
  wait_a_while();
  return next(thread, attributes, begin, NULL);
}

int
sem_post(sem_t *semaphore)
{
  int (*const next)(sem_t *) = dlsym(RTLD_NEXT, "sem_post");
  const int status = next(semaphore);
  if (is_slow) {
    is_slow = 0;
    wait_a_while();
  }
  return status;
}
