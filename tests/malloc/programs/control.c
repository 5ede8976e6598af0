/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control.c -- when it is counted, and what is written when: by the functions
 * of mprof_malloc.h.  They are weak here, so the program runs without mprof.
 */
#include <sched.h>
#include <sys/time.h>

#include "cases.h"
#include "mprof_malloc.h"

/* After the stop only ends count: 5 of 10, of which 2 are freed, then. */
CASE(stop)
{
  allocate(5, 10);
  mprof_stop();
  free(kept[0]);
  free(kept[1]);
  kept[0] = malloc(100);
  free(kept[0]);
}

/* What there was is forgotten: neither it nor its end counts. */
CASE(restart)
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
CASE(restarts)
{
  void *old = malloc(1000);
  for (int i = 0; i < 1 << 16; i++)
    mprof_restart(NULL);
  allocate(3, 20);
  free(old);
}

/* Their bytes have more than 32 bits. */
CASE(large)
{
  const size_t large = (size_t)1 << 32;
  void *p = realloc(malloc(large + 10), large + 20);
  if (malloc_usable_size(p) < large + 20 || realloc(p, (size_t)-1 / 2))
    _exit(97);
  p = realloc(p, 10);
  kept[0] = calloc(1, large);
  free(p);
}

CASE(restart_file)
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

CASE(restart_threads)
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

CASE(save)
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
CASE(restart_handler)
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
CASE(autosave)
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

CASE(killed_child)
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

/* A signal starts it, a signal stops it. */
CASE(signal)
{
  allocate(5, 10);
  raise(SIGUSR2);
  allocate(3, 20);
  raise(SIGUSR2);
  free(kept[0]);
  allocate(4, 30);
}

/* Where counting is on from the start, the first one stops it. */
CASE(signals)
{
  for (int i = 0; i < 10; i++) {
    allocate(1, 10);
    raise(SIGUSR2);
    allocate(1, 100);
    raise(SIGUSR2);
  }
}

CASE(plain)
{
  allocate(5, 10);
}

RUN_CASES
