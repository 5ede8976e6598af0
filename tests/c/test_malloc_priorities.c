/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_priorities.c -- threads on one processor, where the kernel runs
 * the one with the higher priority as long as that can run.  It waits for a
 * lock that the other one has.
 */
#include <sched.h>
#include <semaphore.h>

#include "testing.h"

#include "image/spin_lock.h"

enum { LOW = 1, HIGH = 2, SECONDS = 10 /* then it is killed */ };

static struct spin_lock lock;
static sem_t is_locked;

static bool
use_one_processor(void)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool
take_priority(int priority)
{
  const struct sched_param how = {.sched_priority = priority};
  return sched_setscheduler(0, SCHED_FIFO, &how) == 0;
}

/* The other one goes on in the midst of it. */
static void *
hold(void *unused)
{
  if (!take_priority(LOW))
    return unused;
  spin_lock(&lock);
  sem_post(&is_locked);
  spin_unlock(&lock);
  return unused;
}

TEST(test_lock)
{
  pthread_t holder;
  if (!use_one_processor() || !take_priority(HIGH))
    skip();
  sem_init(&is_locked, 0, 0);
  alarm(SECONDS);
  assert_int_equal(pthread_create(&holder, NULL, hold, NULL), 0);
  sem_wait(&is_locked);
  assert_false(spin_holds(&lock));
  assert_int_not_equal(lock.holder, 0);
  errno = ERANGE;
  spin_lock(&lock);
  assert_int_equal(errno, ERANGE);
  spin_unlock(&lock);
  pthread_join(holder, NULL);
  alarm(0);
}

RUN_TESTS(NULL, NULL)
