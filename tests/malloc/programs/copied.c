/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * copied.c -- no descriptor is free, so the monitor opens its file in a copy
 * of the process that shares its memory (image_file_elsewhere).  A signal
 * comes to the copy at once: the program's handler must not run there.
 * Prints which processes have handled one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile pid_t handled_by[2];
static volatile int handled, copies;
static int (*work)(void *);

static void
handle(int number)
{
  handled_by[handled++ % 2] = getpid();
}

static int
interrupted(void *closure)
{
  copies++;
  kill(getpid(), SIGUSR1);
  return work(closure);
}

/* In front of that of the C library. */
int
clone(int (*function)(void *), void *stack, int flags, void *closure, ...)
{
  int (*const real)(int (*)(void *), void *, int, void *, ...) =
      dlsym(RTLD_NEXT, "clone");
  work = function;
  return real(interrupted, stack, flags, closure);
}

int
main(void)
{
  const struct rlimit few = {20, 20};
  void *p;
  setrlimit(RLIMIT_NOFILE, &few);
  while (dup(2) >= 0)
    ;
  signal(SIGUSR1, handle);
  p = malloc(10);
  raise(SIGUSR1);
  for (int i = 3; i < 20; i++)
    close(i);
  printf("%s %d:%s%s\n", p == NULL ? "no memory" : "memory", copies > 0,
         handled_by[0] == 0           ? ""
         : handled_by[0] == getpid() ? " program"
                                      : " copy",
         handled_by[1] == 0           ? ""
         : handled_by[1] == getpid() ? " program"
                                      : " copy");
  return 0;
}
