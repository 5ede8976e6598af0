/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ways CASE [FILE]: what an image has to know beside counters; then SIGKILL.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mprof_malloc.h"

extern char **environ;

static void *kept[1000];
static int count;

static void __attribute__((noinline))
make(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[count++ % 1000] = malloc(bytes);
}

/* The functions of two libraries that come to the same place. */
static void
call_library(const char *name)
{
  void *const library = dlopen(name, RTLD_NOW);
  void *(*function)(void) = (void *(*)(void))dlsym(library, "in_library");
  kept[count++] = function();
  dlclose(library);
}

static void
forks(void)
{
  make(10, 61);
  if (fork() == 0) {
    make(7, 61);
    exit(0);
  }
  wait(NULL);
  make(3, 61);
}

/* A process that becomes the program "restarts" and is killed, too. */
static void
starts(char **argv)
{
  static char killed[] = "restarts";
  argv[1] = killed;
  argv[2] = NULL;
  make(10, 61);
  if (fork() == 0)
    execv("/proc/self/exe", argv);
  wait(NULL);
  make(1, 61);
}

static void
regions(void)
{
  mprof_region_begin("outer");
  make(5, 61);
  mprof_region_begin("inner");
  make(2, 61);
  mprof_region_end();
  mprof_region_end();
  if (fork() == 0) {
    mprof_region_begin("outer");
    make(1, 61);
    mprof_region_end();
    exit(0);
  }
  wait(NULL);
}

/* Also by a system call that nobody sees, and one that fails before. */
static void
execs(char **argv, int directly)
{
  static char forks_too[] = "forks";
  make(4, 61);
  execv("/nonexistent", argv);
  make(1, 61);
  argv[1] = forks_too;
  if (directly)
    syscall(SYS_execve, "/proc/self/exe", argv, environ);
  execv("/proc/self/exe", argv);
}

int
main(int argc, char **argv)
{
  if (argc < 2)
    return 2;
  if (strcmp(argv[1], "forks") == 0)
    forks();
  else if (strcmp(argv[1], "regions") == 0)
    regions();
  else if (strcmp(argv[1], "starts") == 0)
    starts(argv);
  else if (strcmp(argv[1], "execs") == 0)
    execs(argv, 0);
  else if (strcmp(argv[1], "execs-directly") == 0)
    execs(argv, 1);
  else if (strcmp(argv[1], "libraries") == 0)
    for (int i = 0; i < 2; i++) {
      call_library("./one.so");
      call_library("./two.so");
    }
  else if (strcmp(argv[1], "restarts") == 0) {
    make(100, 61);
    if (argv[2] != NULL)
      mprof_restart(argv[2]);
    make(9, 61);
  }
  raise(SIGKILL);
}
