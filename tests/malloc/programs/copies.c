/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * copies.c -- copies of a process that are made without the C library's fork,
 * and so without the handlers of pthread_atfork.  The first argument says how
 * one is made, the second what is done.
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "mprof_malloc.h"

enum { OBJECTS = 100000, SITES = 16, SIZES = 2000 };

static const char *self;
static void *kept[OBJECTS];

static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

/* ---- how a copy is made ---- */

enum { STACK_BYTES = 1 << 16 };

static int
call(void *work)
{
  ((void (*)(void))work)();
  return 0;
}

static void
become_child(void (*work)(void))
{
  work();
  _exit(0);
}

static pid_t
by_Fork(void (*work)(void))
{
  const pid_t child = _Fork();
  if (child == 0)
    become_child(work);
  return child;
}

static pid_t
by_fork(void (*work)(void))
{
  const pid_t child = fork();
  if (child == 0)
    become_child(work);
  return child;
}

static pid_t
by_clone(void (*work)(void))
{
  _Alignas(16) char stack[STACK_BYTES];
  return clone(call, stack + sizeof stack, SIGCHLD, (void *)work);
}

static pid_t
by_raw_fork(void (*work)(void))
{
#ifdef SYS_fork
  const pid_t child = (pid_t)syscall(SYS_fork);
#else
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
  if (child == 0)
    become_child(work);
  return child;
}

static pid_t
by_raw_clone(void (*work)(void))
{
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0)
    become_child(work);
  return child;
}

static pid_t
by_raw_clone3(void (*work)(void))
{
  struct clone_args how = {.exit_signal = SIGCHLD};
  const pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof how);
  if (child == 0)
    become_child(work);
  return child;
}

/* Shares the memory. */
static pid_t
by_clone_vm(void (*work)(void))
{
  _Alignas(16) char stack[STACK_BYTES];
  return clone(call, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
               (void *)work);
}

static const struct way {
  const char *name;
  pid_t (*copy)(void (*work)(void));
} ways[] = {
    {"fork", by_fork},           {"_Fork", by_Fork},
    {"clone", by_clone},         {"raw-fork", by_raw_fork},
    {"raw-clone", by_raw_clone}, {"raw-clone3", by_raw_clone3},
    {"clone-vm", by_clone_vm},
};

static const struct way *way;

static void
await(pid_t child)
{
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    _exit(97);
}

static void
in_copy(void (*work)(void))
{
  await(way->copy(work));
}

/* ---- what is done ---- */

static void
allocate_little(void)
{
  allocate(3, 20);
}

static void
case_little(void)
{
  allocate(2, 100);
  in_copy(allocate_little);
  allocate(1, 30);
}

/* The copy ends before its parent, or counts while that does. */
static int to_child[2], to_parent[2];

static void
say(int pipe)
{
  if (write(pipe, "", 1) != 1)
    _exit(96);
}

static void
hear(int pipe)
{
  char c;
  if (read(pipe, &c, 1) != 1)
    _exit(95);
}

static void
free_all(void)
{
  for (int i = 0; i < OBJECTS; i++)
    free(kept[i]);
}

/* No object of the parent's ends. */
static void
case_freed(void)
{
  allocate(OBJECTS, 16);
  in_copy(free_all);
}

/* The copy makes other objects than its parent makes, in the same places. */
#define SITE(n)                                                              \
  static void __attribute__((noinline)) site_##n(int from, int to)           \
  {                                                                          \
    for (int i = from; i < to; i++)                                          \
      free(malloc((size_t)i));                                               \
  }
SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7)
SITE(8) SITE(9) SITE(10) SITE(11) SITE(12) SITE(13) SITE(14) SITE(15)

static void
grow(int from, int to)
{
  static void (*const sites[SITES])(int, int) = {
      site_0,  site_1,  site_2,  site_3, site_4,  site_5,
      site_6,  site_7,  site_8,  site_9, site_10, site_11,
      site_12, site_13, site_14, site_15};
  for (int i = 0; i < SITES; i++)
    sites[i](from, to);
}

/* As many sites as the way back is long, and a step of each in turn. */
static void
grow_in_copy(void)
{
  for (int i = 0; i < 10; i++) {
    hear(to_child[0]);
    grow(1 + i * SIZES / 20, 1 + (i + 1) * SIZES / 20);
    say(to_parent[1]);
  }
}

static void
case_growth(void)
{
  if (pipe(to_child) != 0 || pipe(to_parent) != 0)
    _exit(94);
  grow(1, 10);
  const pid_t child = way->copy(grow_in_copy);
  for (int i = 0; i < 10; i++) {
    say(to_child[1]);
    grow(1 + SIZES / 2 + i * SIZES / 20, 1 + SIZES / 2 + (i + 1) * SIZES / 20);
    hear(to_parent[0]);
  }
  await(child);
}

static void
copy_once_more(void)
{
  allocate(1, 40);
  in_copy(allocate_little);
  allocate(1, 50);
}

static void
case_grandchild(void)
{
  allocate(1, 10);
  in_copy(copy_once_more);
}

/* The second copy is of one that has not counted. */
static void
copy_at_once(void)
{
  in_copy(allocate_little);
}

static void
case_idle_child(void)
{
  allocate(1, 10);
  in_copy(copy_at_once);
  allocate(1, 10);
}

static void
become_other(void)
{
  execl(self, self, "fork", "leaf", NULL);
  _exit(93);
}

static void
case_exec(void)
{
  allocate(2, 10);
  in_copy(become_other);
  allocate(2, 10);
}

static void
case_leaf(void)
{
  allocate(7, 11);
}

/* A handler of a signal makes it. */
static void
copy_in_handler(int number)
{
  (void)number;
  in_copy(allocate_little);
}

static void
case_handler(void)
{
  signal(SIGUSR1, copy_in_handler);
  allocate(1, 10);
  raise(SIGUSR1);
  allocate(1, 10);
}

/* While other threads allocate: these stop before the C library's lock could
 * be held when a copy is made. */
static volatile int done;
static pthread_barrier_t barrier;

static void *
busy(void *data)
{
  for (;;) {
    pthread_barrier_wait(&barrier);
    if (done)
      return data;
    grow(1, 20);
    pthread_barrier_wait(&barrier);
  }
}

static void
case_threads(void)
{
  pthread_t threads[3];
  pthread_barrier_init(&barrier, NULL, 4);
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  for (int i = 0; i < 5; i++) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    in_copy(allocate_little);
  }
  done = 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
}

/* What is asked of the library before anything is counted in the copy. */

static void
stop_counting(void)
{
  mprof_stop();
  allocate(3, 20);
}

static void
case_stop(void)
{
  allocate(2, 10);
  in_copy(stop_counting);
  allocate(2, 10);
}

static void
restart(void)
{
  mprof_restart(NULL);
  allocate(3, 20);
}

static void
case_restart(void)
{
  allocate(2, 10);
  in_copy(restart);
  allocate(2, 10);
}

static void
enter_region(void)
{
  mprof_region_begin("inner");
  allocate(3, 20);
}

static void
case_region(void)
{
  mprof_region_begin("outer");
  allocate(2, 10);
  in_copy(enter_region);
  allocate(2, 10);
}

static const struct test_case cases[] = {
    {"little", case_little},         {"freed", case_freed},
    {"growth", case_growth},         {"grandchild", case_grandchild},
    {"idle-child", case_idle_child}, {"exec", case_exec},
    {"leaf", case_leaf},             {"handler", case_handler},
    {"threads", case_threads},       {"stop", case_stop},
    {"restart", case_restart},       {"region", case_region},
    {NULL, NULL}};

int
main(int argc, char **argv)
{
  self = argv[0];
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(ways[i].name, argv[1]) == 0)
      way = &ways[i];
  return way == NULL ? 98 : run_case(cases, argc - 1, argv + 1);
}
