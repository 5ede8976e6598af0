/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaver.c -- threads that the collector makes, and that come to ECL twice,
 * allocate, and then leave their functions from inside: by pthread_exit, or
 * cancelled.
 */
#include <pthread.h>
#include <stdio.h>

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <ecl/ecl.h>
#include <gc/gc.h>

enum { TIMES = 10 };

__attribute__((noinline)) static cl_object
conses(int n)
{
  cl_object l = ECL_NIL;
  for (int i = 0; i < n; i++)
    l = ecl_cons(ecl_make_fixnum(i), l);
  return l;
}

static void
clean_up(void *count)
{
  ++*(int *)count;
}

static void *
work(void *count)
{
  for (int i = 0; i < 2; i++) {
    ecl_import_current_thread(ECL_NIL, ECL_NIL);
    conses(50);
    ecl_release_current_thread();
  }
  pthread_cleanup_push(clean_up, count);
  if (*(int *)count % 2 == 0)
    pthread_exit(count);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return NULL;
}

int
main(int argc, char **argv)
{
  int count = 0;
  cl_boot(argc, argv);
  conses(50);
  for (int i = 0; i < TIMES; i++) {
    pthread_t thread;
    void *result;
    if (GC_pthread_create(&thread, NULL, work, &count) != 0)
      return 1;
    GC_pthread_join(thread, &result);
    printf("%d %s\n", count,
           result == PTHREAD_CANCELED ? "cancelled" : "ended");
  }
  cl_shutdown();
  return 7;
}
