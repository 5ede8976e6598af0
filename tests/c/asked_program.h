/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that is profiled while test_control asks for its figures.  It
 * does what it is told by one pipe, and says by another when that is done; in
 * between it sleeps.  Nothing of it allocates but what it is told to.
 */

#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum deed {
  ALLOCATE, /* so many objects of a size */
  FREE,     /* so many, the oldest first */
  RESET,    /* forget what was counted */
  BEGIN,    /* start another thread, which ... */
  WORK,     /* ... allocates and frees, until ... */
  REST, /* ... it is told to stop; gives back how many objects that were */
  FORK, /* gives back the child, which allocates and sleeps */
  EXEC, /* become this program again */
  EXEC_BARE, /* the same without an environment */
  CLOSE_ALL, /* descriptors */
  LOSE_RIGHTS,
  UNSHARE, /* gives back 0, or errno */
  LOCK_MEMORY,
  FILTER, /* system calls: by one that allows all */
  STOP,
  LEAVE, /* end the first thread, before another one */
  END
};

struct order {
  enum deed deed;
  uint32_t count;
  uint64_t bytes;
};

enum { ORDERS = 0, ANSWERS = 1, MOST_OBJECTS = 1 << 16 };

static void *volatile objects[MOST_OBJECTS];
static size_t first_object, object_count;

static __attribute__((noinline)) void
allocate_objects(uint32_t count, uint64_t bytes)
{
  while (count-- > 0)
    objects[object_count++] = malloc(bytes);
}

static void
free_objects(uint32_t count)
{
  while (count-- > 0)
    free(objects[first_object++]);
}

/* ---- another thread ---- */

enum { OBJECTS_OF_WORK = 64 };

static bool works;
static int64_t worked;

static void *volatile by_one, *volatile by_other;

/* On one of many paths. */
static __attribute__((noinline)) void *
allocate_below(unsigned depth, uint64_t way, size_t bytes)
{
  if (depth == 0)
    return malloc(bytes);
  if ((way >> depth & 1) != 0)
    return by_one = allocate_below(depth - 1, way, bytes);
  return by_other = allocate_below(depth - 1, way, bytes);
}

static void *
work(void *unused)
{
  void *volatile kept[OBJECTS_OF_WORK] = {NULL};
  for (;; sched_yield())
    if (__atomic_load_n(&works, __ATOMIC_ACQUIRE)) {
      const size_t i = (size_t)worked % OBJECTS_OF_WORK;
      free(kept[i]);
      kept[i] = allocate_below(8, (uint64_t)worked / 7, i + 1);
      __atomic_add_fetch(&worked, 1, __ATOMIC_RELEASE);
    }
  return unused;
}

/* Until the thread is seen to do nothing. */
static int64_t
rest(void)
{
  const struct timespec while_it_ends = {.tv_nsec = 50000000};
  __atomic_store_n(&works, false, __ATOMIC_RELEASE);
  nanosleep(&while_it_ends, NULL);
  return __atomic_load_n(&worked, __ATOMIC_ACQUIRE);
}

static void *
work_a_little(void *unused)
{
  const struct timespec a_little = {.tv_nsec = 100000000};
  nanosleep(&a_little, NULL);
  return unused;
}

/* ---- deeds ---- */

/* By the monitor's own function, however it came here. */
static int64_t
reset_figures(void)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/libmprof-malloc.so", getenv("MPROF_LIB"));
  void *monitor = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  void (*restart)(const char *) = NULL;
  *(void **)&restart =
      monitor == NULL ? NULL : dlsym(monitor, "mprof_restart");
  if (restart == NULL)
    return -1;
  restart(NULL);
  return 0;
}

static int64_t
fork_child(const struct order *order)
{
  const pid_t child = fork();
  if (child == 0) {
    allocate_objects(order->count, order->bytes);
    for (;;)
      pause();
  }
  return child;
}

static int64_t
filter(void)
{
  struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  struct sock_fprog allowing = {1, &allow};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &allowing, 0,
                       0) == 0
             ? 0
             : errno;
}

static char *const asked_arguments[] = {(char *)"/proc/self/exe",
                                        (char *)"program", NULL};

static int64_t
become_program(bool bare)
{
  static char *const nothing[] = {NULL};
  execve(asked_arguments[0], asked_arguments, bare ? nothing : environ);
  return errno;
}

static int64_t
do_deed(const struct order *order)
{
  pthread_t thread;
  switch (order->deed) {
  case ALLOCATE:
    allocate_objects(order->count, order->bytes);
    return 0;
  case FREE:
    free_objects(order->count);
    return 0;
  case RESET:
    return reset_figures();
  case BEGIN:
    return pthread_create(&thread, NULL, work, NULL);
  case WORK:
    __atomic_store_n(&works, true, __ATOMIC_RELEASE);
    return 0;
  case REST:
    return rest();
  case FORK:
    return fork_child(order);
  case EXEC:
  case EXEC_BARE:
    return become_program(order->deed == EXEC_BARE);
  case CLOSE_ALL:
    return close_range(ANSWERS + 1, UINT32_MAX, 0);
  case LOSE_RIGHTS:
    return chroot("/proc") == 0 && setuid(65534) == 0 ? 0 : errno;
  case UNSHARE:
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 ? 0 : errno;
  case LOCK_MEMORY:
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
  case FILTER:
    return filter();
  case STOP:
    return raise(SIGSTOP);
  case LEAVE:
    pthread_create(&thread, NULL, work_a_little, NULL);
    pthread_exit(NULL);
  case END:
    exit(0);
  }
  return -1;
}

/* Says how it begins, too.  A pipe that is closed ends it. */
static int
asked_program(void)
{
  struct order order;
  int64_t answer = 0;
  while (write(ANSWERS, &answer, sizeof answer) == sizeof answer &&
         read(ORDERS, &order, sizeof order) == sizeof order)
    answer = do_deed(&order);
  return 1;
}
