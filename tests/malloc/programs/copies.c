/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * copies.c -- copies of a process that are made without the C library's fork,
 * and so without the handlers of pthread_atfork.  The first argument says how
 * one is made, the second what is done.
 */
#include <sched.h>

#include "cases.h"
#include "mprof_malloc.h"

enum { OBJECTS = 100000 };

static const char *self;

/* ---- how a copy is made ---- */

enum { STACK_BYTES = 1 << 16 };

static int
call(void *work)
{
  ((void (*)(void))work)();
  return 0;
}

#define BY(name, fork)                                                       \
  static pid_t by_##name(void (*work)(void))                                 \
  {                                                                          \
    const pid_t child = (pid_t)fork;                                         \
    if (child == 0) {                                                        \
      work();                                                                \
      _exit(0);                                                              \
    }                                                                        \
    return child;                                                            \
  }
BY(fork, fork())
BY(_Fork, _Fork())
BY(raw_clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))

static pid_t
by_clone(void (*work)(void))
{
  _Alignas(16) char stack[STACK_BYTES];
  return clone(call, stack + sizeof stack, SIGCHLD, (void *)work);
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
    {"fork", by_fork},
    {"_Fork", by__Fork},
    {"clone", by_clone},
    {"raw-clone", by_raw_clone},
    {"clone-vm", by_clone_vm},
};

static const struct way *way;

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

CASE(little)
{
  allocate(2, 100);
  in_copy(allocate_little);
  allocate(1, 30);
}

static void
free_all(void)
{
  for (int i = 0; i < OBJECTS; i++)
    free(kept[i]);
}

/* No object of the parent's ends. */
CASE(freed)
{
  allocate(OBJECTS, 16);
  in_copy(free_all);
}

/* Objects of the sizes from FROM on and before TO. */
static void
grow(int from, int to)
{
  for (int i = from; i < to; i++)
    free(malloc((size_t)i));
}

static void
grow_in_copy(void)
{
  grow(1, 1001);
}

/* The copy makes other objects than its parent makes, in the same places. */
CASE(growth)
{
  grow(1, 10);
  const pid_t child = way->copy(grow_in_copy);
  grow(1001, 2001);
  await(child);
}

static void
copy_once_more(void)
{
  allocate(1, 40);
  in_copy(allocate_little);
  allocate(1, 50);
}

CASE(grandchild)
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

CASE(idle_child)
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

CASE(exec)
{
  allocate(2, 10);
  in_copy(become_other);
  allocate(2, 10);
}

CASE(leaf)
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

CASE(handler)
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

CASE(threads)
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

CASE(stop)
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

CASE(restart)
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
  mprof_region_end();
  mprof_region_end();
}

CASE(region)
{
  mprof_region_begin("outer");
  allocate(2, 10);
  in_copy(enter_region);
  allocate(2, 10);
}

int
main(int argc, char **argv)
{
  self = argv[0];
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(ways[i].name, argv[1]) == 0)
      way = &ways[i];
  return way == NULL ? 98 : run_case(argc - 1, argv + 1);
}
