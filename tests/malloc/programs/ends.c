/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ends.c -- the ways in which a program ends.  Each allocates 5 objects of 10
 * bytes before it ends, and more where functions of it run at the end.
 */
#include <assert.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "cases.h"

static volatile int zero;
static int *volatile nowhere;

static void
at_the_end(void)
{
  allocate(1, 777);
}

/* By the end of main. */
CASE(none)
{
}

CASE(exit)
{
  atexit(at_the_end);
  exit(3);
}

CASE(_exit)
{
  atexit(at_the_end); /* not called */
  _exit(4);
}

CASE(_Exit)
{
  _Exit(5);
}

CASE(exit_group)
{
  syscall(SYS_exit_group, 8);
}

CASE(quick_exit)
{
  at_quick_exit(at_the_end);
  quick_exit(6);
}

CASE(abort)
{
  abort();
}

CASE(assert)
{
  assert(zero == 1); /* allocates its message */
}

/* With a file that is compressed: objects of many sizes. */
CASE(many)
{
  for (size_t bytes = 11; bytes <= 2000; bytes++)
    kept[5] = malloc(bytes);
  *nowhere = 1;
}

CASE(segv)
{
  *nowhere = 1;
}

CASE(divide)
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

CASE(overflow)
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

CASE(thread_overflow)
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

CASE(thread_exit)
{
  pthread_t thread;
  pthread_create(&thread, NULL, exit_there, NULL);
  pause();
}

CASE(corrupt)
{
  memset(kept[0], 0, 8);     /* or it may be a size */
  free((char *)kept[0] + 8); /* the C library sees that, and aborts */
}

#define RAISE(name)                                                          \
  CASE(name)                                                                 \
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
  allocate(1, 777);
  exit(8);
}

CASE(handler)
{
  signal(SIGTERM, caught);
  raise(SIGTERM);
}

/* As it was before, says the program; before that it must not see who handles
 * it. */
CASE(default)
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

CASE(ignored)
{
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
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

/* Two threads allocate, and a handler ends the process in the midst of it. */
CASE(midst)
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
CASE(midst_exec)
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

int
main(int argc, char **argv)
{
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
  allocate(5, 10);
  return run_case(argc, argv);
}
