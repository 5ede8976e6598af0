/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * embedder.c -- a C program with ECL in it, that allocates from both heaps,
 * in a thread of its own too, and in the child of a fork.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ecl/ecl.h>

void *volatile sink;

__attribute__((noinline)) static cl_object
conses(int n)
{
  cl_object l = ECL_NIL;
  for (int i = 0; i < n; i++)
    l = ecl_cons(ecl_make_fixnum(i), l);
  return l;
}

__attribute__((noinline)) static void
blocks(int n)
{
  for (int i = 0; i < n; i++) {
    sink = malloc(100);
    free(sink);
  }
}

static void *
imported(void *unused)
{
  ecl_import_current_thread(ECL_NIL, ECL_NIL);
  printf("%ld\n", (long)ecl_length(conses(300)));
  ecl_release_current_thread();
  return unused;
}

int
main(int argc, char **argv)
{
  pthread_t thread;
  int status;
  (void)argc;
  setvbuf(stdout, NULL, _IONBF, 0);
  cl_boot(1, argv);
  printf("%ld\n", (long)ecl_length(conses(1000)));
  blocks(500);
  pthread_create(&thread, NULL, imported, NULL);
  pthread_join(thread, NULL);
  if (fork() == 0) {
    printf("%ld\n", (long)ecl_length(conses(70)));
    _exit(3);
  }
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  cl_shutdown();
  return 5;
}
