/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.c -- for threads.lisp: threads that leave through C or wait
 * there for their end, and one that C has made.
 */
#define GC_NO_THREAD_REDIRECTS /* a thread that the collector has not made */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <ecl/ecl.h>

typedef long callback(long);

/* End the thread here, whatever Lisp frames are on its stack. */
void
end_thread(void)
{
  pthread_exit(NULL);
}

/* Call `f', then wait for somebody who ends the thread. */
static pthread_t waiting;
static int has_called;

long
call_and_wait(callback *f, long n)
{
  waiting = pthread_self();
  f(n);
  __atomic_store_n(&has_called, 1, __ATOMIC_RELEASE);
  for (;;)
    pause();
}

/* Not before it has left what it has called. */
int
cancel_waiting(void)
{
  while (!__atomic_exchange_n(&has_called, 0, __ATOMIC_ACQUIRE))
    sched_yield();
  return pthread_cancel(waiting);
}

struct job {
  cl_object name;
  callback *f;
  long n;
};

static void *
import_and_call(void *data)
{
  struct job *job = data;
  if (!ecl_import_current_thread(job->name, ECL_NIL))
    return (void *)1;
  job->n = job->f(job->n);
  ecl_release_current_thread();
  return NULL;
}

/* Call `f' in a new thread that imports itself into Lisp, and wait for it. */
long
call_in_new_thread(cl_object name, callback *f, long n)
{
  struct job job = { name, f, n };
  pthread_t thread;
  void *failed;
  if (pthread_create(&thread, NULL, import_and_call, &job) != 0 ||
      pthread_join(thread, &failed) != 0 || failed != NULL)
    return -1;
  return job.n;
}
