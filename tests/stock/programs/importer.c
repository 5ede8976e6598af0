/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * importer.c -- threads that the collector has not made come to ECL, allocate,
 * leave it, come again, and are gone when the program ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

/* the collector has its own */
#undef pthread_create
#undef pthread_join
#include <pthread.h>

enum { THREADS = 20 };

__attribute__((noinline)) static cl_object
conses(int n)
{
  cl_object l = ECL_NIL;
  for (int i = 0; i < n; i++)
    l = ecl_cons(ecl_make_fixnum(i), l);
  return l;
}

static void *
work(void *unused)
{
  for (int i = 0; i < 2; i++) {
    if (!ecl_import_current_thread(ECL_NIL, ECL_NIL))
      exit(3);
    conses(100);
    ecl_release_current_thread();
  }
  return unused;
}

int
main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  cl_boot(argc, argv);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      return 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  conses(50);
  puts("done");
  cl_shutdown();
  return 6;
}
