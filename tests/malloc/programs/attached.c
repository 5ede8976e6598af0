/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attached.c -- a program that loads the monitor and calls it as the debugger
 * of `mprof run --pid' does.  Arguments: the library, and a file for each time
 * that it is profiled.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept[100];

static __attribute__((noinline)) void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

static void
release(int n)
{
  for (int i = 0; i < n; i++)
    free(kept[i]);
}

static void *
allocate_in_thread(void *unused)
{
  for (int i = 0; i < 10; i++)
    free(malloc(79));
  return unused;
}

int
main(int argc, char **argv)
{
  void *const library = dlopen(argv[1], RTLD_NOW);
  const char *(*attach)(const char *);
  void (*detach)(void);
  char settings[4000];
  pthread_t thread;
  if (library == NULL)
    return 1;
  attach = (const char *(*)(const char *))dlsym(library, "mprof_attach");
  detach = (void (*)(void))dlsym(library, "mprof_detach");
  allocate(7, 1000);
  for (int i = 2; i < argc; i++) {
    const char *why;
    snprintf(settings, sizeof settings,
             "MPROF_OUT=%s\nMPROF_CHILDREN=no\nMPROF_BY=%d\n", argv[i],
             (int)getppid());
    why = attach(settings);
    puts(why == NULL ? "attached" : why);
    fflush(stdout);
    release(7); /* what is from before counts for nothing */
    allocate(50 + i, 77);
    release(20);
    pthread_create(&thread, NULL, allocate_in_thread, NULL);
    pthread_join(thread, NULL);
    detach();
    allocate(7, 1000);
  }
  _exit(0);
}
