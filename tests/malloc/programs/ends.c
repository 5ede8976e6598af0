/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ends.c -- the ways in which a program ends.  Each allocates 5 objects of 10
 * bytes before it ends, and more where functions of it run at the end.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static void *volatile kept[10];
static volatile int zero;
static int *volatile nowhere;

static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

static void
at_the_end(void)
{
  allocate(1, 100);
}

/* By the end of main. */
static void
case_none(void)
{
}

static void
case_exit(void)
{
  atexit(at_the_end);
  exit(3);
}

static void
case__exit(void)
{
  atexit(at_the_end); /* not called */
  _exit(4);
}

static void
case__Exit(void)
{
  _Exit(5);
}

static void
case_exit_group(void)
{
  syscall(SYS_exit_group, 8);
}

static void
case_quick_exit(void)
{
  at_quick_exit(at_the_end);
  quick_exit(6);
}

static void
case_abort(void)
{
  abort();
}

static void
case_assert(void)
{
  assert(zero == 1); /* allocates its message */
}

/* With a file that is compressed: objects of many sizes. */
static void
case_many(void)
{
  for (size_t bytes = 11; bytes <= 2000; bytes++)
    kept[5] = malloc(bytes);
  *nowhere = 1;
}

static void
case_segv(void)
{
  *nowhere = 1;
}

static void
case_divide(void)
{
#ifdef __aarch64__ /* it makes 0 of that */
  raise(SIGFPE);
#else
  kept[zero] = (void *)(long)(100 / zero);
#endif
}

static int
deeper(int n)
{
  volatile char room[4096];
  room[n % 4096] = (char)n;
  return deeper(n + 1) + room[n % 4096];
}

static void
case_overflow(void)
{
  deeper(0);
}

static void *
overflow_there(void *data)
{
  free(malloc(33)); /* before that nobody knows the thread */
  deeper(0);
  return data;
}

static void
case_thread_overflow(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, overflow_there, NULL);
  pthread_join(thread, NULL);
}

static void *
exit_there(void *data)
{
  exit(7);
  return data;
}

static void
case_thread_exit(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, exit_there, NULL);
  pause();
}

static void
case_corrupt(void)
{
  free((char *)kept[0] + 8); /* the C library sees that, and aborts */
}

#define RAISE(name)                                                          \
  static void case_##name(void)                                              \
  {                                                                          \
    raise(SIG##name);                                                        \
    _exit(99);                                                               \
  }
RAISE(TERM)
RAISE(INT)
RAISE(HUP)
RAISE(QUIT)
RAISE(PIPE)
RAISE(USR1)
RAISE(ALRM)
RAISE(XCPU)

static void
caught(int number)
{
  (void)number;
  allocate(1, 100);
  exit(8);
}

static void
case_handler(void)
{
  signal(SIGTERM, caught);
  raise(SIGTERM);
}

/* The handler has a stack that is enough for it, not for the monitor. */
static void
case_small_stack(void)
{
  const stack_t stack = { .ss_sp = malloc(8192), .ss_size = 8192 };
  const struct sigaction action = { .sa_handler = caught,
                                    .sa_flags = SA_ONSTACK };
  sigaltstack(&stack, NULL);
  sigaction(SIGTERM, &action, NULL);
  raise(SIGTERM);
}

/* As it was before, says the program; before that it must not see who handles
 * it. */
static void
case_default(void)
{
  struct sigaction old, end = { .sa_handler = SIG_DFL };
  if (sigaction(SIGINT, NULL, &old) != 0 || old.sa_handler != SIG_DFL ||
      signal(SIGTERM, caught) != SIG_DFL)
    _exit(98);
  if (signal(SIGTERM, SIG_DFL) != caught ||
      sigaction(SIGINT, &end, &old) != 0 || old.sa_handler != SIG_DFL)
    _exit(97);
  raise(zero == 0 ? SIGTERM : SIGINT);
  _exit(96);
}

static void
case_ignored(void)
{
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
}

/* While it allocates: the signal comes in the midst of it. */
static void
case_midst(void)
{
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    usleep(20000);
    kill(parent, SIGTERM);
    _exit(0);
  }
  for (;;)
    free(malloc(33));
}

static void
leave(int number)
{
  (void)number;
  _exit(9);
}

static void *
go_on(void *unused)
{
  (void)unused;
  for (;;)
    free(malloc(33));
}

/* The same in two threads, and a handler ends it. */
static void
case_midst_of_threads(void)
{
  const struct itimerval soon = { { 0, 0 }, { 0, 5000 } };
  pthread_t thread;
  signal(SIGALRM, leave);
  pthread_create(&thread, NULL, go_on, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  go_on(NULL);
}

static volatile sig_atomic_t tries;

static void
try_another(int number)
{
  (void)number;
  tries++;
  execl("/nonexistent", "nonexistent", (char *)NULL);
}

/* And on, until the handler has run often enough. */
static void *
count_on(void *unused)
{
  (void)unused;
  for (int i = 0; i < 20000 || tries < 100; i++) {
    void *p = malloc(i < 20000 ? 33 : 55);
    if (i < 20000 && i % 40 == 0)
      malloc(44);
    free(p);
  }
  return NULL;
}

/* A handler interrupts counts, saves, and they go on. */
static void
case_midst_exec(void)
{
  const struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { 0 };
  pthread_t threads[2];
  signal(SIGALRM, try_another);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count_on, NULL);
  count_on(NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  setitimer(ITIMER_REAL, &never, NULL);
}

static const struct test_case cases[] = {
  { "none", case_none },
  { "exit", case_exit },
  { "_exit", case__exit },
  { "_Exit", case__Exit },
  { "exit_group", case_exit_group },
  { "quick_exit", case_quick_exit },
  { "abort", case_abort },
  { "assert", case_assert },
  { "many", case_many },
  { "segv", case_segv },
  { "divide", case_divide },
  { "overflow", case_overflow },
  { "thread-overflow", case_thread_overflow },
  { "thread-exit", case_thread_exit },
  { "corrupt", case_corrupt },
  { "TERM", case_TERM },
  { "INT", case_INT },
  { "HUP", case_HUP },
  { "QUIT", case_QUIT },
  { "PIPE", case_PIPE },
  { "USR1", case_USR1 },
  { "ALRM", case_ALRM },
  { "XCPU", case_XCPU },
  { "handler", case_handler },
  { "small-stack", case_small_stack },
  { "default", case_default },
  { "ignored", case_ignored },
  { "midst", case_midst },
  { "midst-of-threads", case_midst_of_threads },
  { "midst-exec", case_midst_exec },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
  allocate(5, 10);
  return run_case(cases, argc, argv);
}
