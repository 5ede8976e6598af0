/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control.c -- when it is counted, and what is written when: by the functions
 * of mprof_malloc.h.  They are weak here, so the program runs without mprof.
 */
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "mprof_malloc.h"


static void *volatile kept[1000];

static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

/* After the stop only ends count: 5 of 10, of which 2 are freed, then. */
static void
case_stop(void)
{
  allocate(5, 10);
  mprof_stop();
  free(kept[0]);
  free(kept[1]);
  kept[0] = malloc(100);
  free(kept[0]);
}

/* What there was is forgotten: neither it nor its end counts. */
static void
case_restart(void)
{
  void *old = malloc(1000);
  allocate(5, 10);
  mprof_restart(NULL);
  allocate(3, 20);
  free(old);
  free(kept[0]);
  free(kept[4]); /* of before */
}

/* So many that their number would begin anew in 16 bits. */
static void
case_restarts(void)
{
  void *old = malloc(1000);
  for (int i = 0; i < 1 << 16; i++)
    mprof_restart(NULL);
  allocate(3, 20);
  free(old);
}

/* Their bytes have more than 32 bits. */
static void
case_large(void)
{
  const size_t large = (size_t)1 << 32;
  void *p = realloc(malloc(large + 10), large + 20);
  if (malloc_usable_size(p) < large + 20 || realloc(p, (size_t)-1 / 2))
    _exit(97);
  p = realloc(p, 10);
  kept[0] = calloc(1, large);
  free(p);
}

static void
case_restart_file(void)
{
  allocate(5, 10);
  mprof_stop();
  mprof_restart("second.data");
  allocate(3, 20);
  mprof_stop();
  mprof_restart("third.data");
  allocate(4, 30);
}

/* Beside threads that allocate and free, and say how often.  Each allocation
 * is in one of the files. */
enum { THREADS = 16, RESTARTS = 60 };
static volatile int restarted;
static long rounds;

static void *
allocate_rounds(void *data)
{
  do {
    for (size_t i = 1; i <= 100; i++)
      free(malloc(i));
    __atomic_fetch_add(&rounds, 100, __ATOMIC_RELAXED);
  } while (!restarted);
  return data;
}

static void
await_rounds(long more)
{
  const long before = __atomic_load_n(&rounds, __ATOMIC_RELAXED);
  while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) - before < more)
    sched_yield();
}

static void
case_restart_threads(void)
{
  static char name[] = "restarted-00.data", line[32];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, allocate_rounds, NULL);
  for (int i = 0; i < RESTARTS; i++) {
    name[10] = (char)('0' + i / 10);
    name[11] = (char)('0' + i % 10);
    await_rounds(1000);
    mprof_restart(name);
  }
  restarted = 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  /* pthread_create makes one more for each */
  write(1, line, (size_t)sprintf(line, "%ld\n", rounds + THREADS));
}

static void
case_save(void)
{
  allocate(5, 10);
  if (mprof_save() != 0)
    _exit(97);
  allocate(3, 20);
  _exit(0);
}

static volatile sig_atomic_t restarts_handled;

static void
restart_in_handler(int number)
{
  (void)number;
  mprof_restart(NULL);
  restarts_handled++;
}

static void *
wait_for_end(void *unused)
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  for (;;)
    pause();
  return unused;
}

/* Handlers interrupt counts, in a program of two threads, in which locks are
 * waited for.  Only what follows the last restart counts. */
static void
case_restart_handler(void)
{
  const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
  pthread_t thread;
  signal(SIGALRM, restart_in_handler);
  if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0)
    _exit(97);
  setitimer(ITIMER_REAL, &often, NULL);
  while (restarts_handled < 1000)
    free(malloc(10));
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  mprof_restart(NULL);
  allocate(4, 30);
}

/* Killed: what was counted is there, saved or not. */
static void
case_autosave(void)
{
  set_mprof_autosave(10);
  allocate(27, 10);
  kill(getpid(), SIGKILL);
}

static void
churn(int n)
{
  for (int i = 0; i < n; i++)
    free(malloc(10));
}

static void
case_killed_child(void)
{
  int status;
  const pid_t child = fork();
  if (child == 0) {
    churn(1000);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status))
    _exit(97);
  churn(5);
}

/* As little as there can be. */
static void *
churn_on_small_stack(void *unused)
{
  churn(5000);
  return unused;
}

static void
case_small_stack(void)
{
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  if (pthread_create(&thread, &attributes, churn_on_small_stack, NULL) != 0)
    _exit(97);
  pthread_join(thread, NULL);
}

/* A signal starts it, a signal stops it. */
static void
case_signal(void)
{
  allocate(5, 10);
  raise(SIGUSR2);
  allocate(3, 20);
  raise(SIGUSR2);
  free(kept[0]);
  allocate(4, 30);
}

/* Where counting is on from the start, the first one stops it. */
static void
case_signals(void)
{
  for (int i = 0; i < 10; i++) {
    allocate(1, 10);
    raise(SIGUSR2);
    allocate(1, 100);
    raise(SIGUSR2);
  }
}

static void
case_plain(void)
{
  allocate(5, 10);
}

static const struct test_case cases[] = {
  { "stop", case_stop },
  { "restart", case_restart },
  { "restarts", case_restarts },
  { "large", case_large },
  { "restart-file", case_restart_file },
  { "restart-threads", case_restart_threads },
  { "restart-handler", case_restart_handler },
  { "save", case_save },
  { "autosave", case_autosave },
  { "killed-child", case_killed_child },
  { "small-stack", case_small_stack },
  { "signal", case_signal },
  { "signals", case_signals },
  { "plain", case_plain },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_case(cases, argc, argv);
}
