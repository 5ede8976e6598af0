/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faults.c -- what may go wrong while the monitor needs room in its file: a
 * thread is cancelled, the file must not be as large; and handlers of signals
 * that do not go back to it.  Each case allocates 5 objects of 10 bytes before.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mprof_malloc.h>

#include "cases.h"

#pragma weak mprof_region_begin

static void *volatile kept[5];

static void
case_none(void)
{
}

/* So many sizes that the monitor needs room for them. */
static void __attribute__((noinline))
use_sizes(void)
{
  for (size_t i = 0; i < 2000; i++)
    free(malloc(30 + i));
}

/* ---- a thread that is cancelled ---- */

/* Files that are opened are points at which a thread is cancelled. */
static void *
allocate_until(void *data)
{
  pthread_cancel(pthread_self());
  use_sizes();
  pthread_testcancel();
  return data;
}

static void
case_cancel(void)
{
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, allocate_until, &kept);
  pthread_join(thread, &result);
  free(malloc(44));
  if (result != PTHREAD_CANCELED)
    _exit(97);
}

/* ---- the size of files ---- */

static void
limit(rlim_t bytes)
{
  const struct rlimit both = { bytes, bytes };
  setrlimit(RLIMIT_FSIZE, &both);
}

static void
case_no_file(void)
{
  limit(0);
  use_sizes();
}

static void
case_small_file(void)
{
  limit(100);
  use_sizes();
}

/* What the program's own writes send is the program's. */
static void
case_own_signal(void)
{
  sigset_t set;
  int file;
  char name[] = "own-XXXXXX";
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &set, NULL);
  limit(0);
  file = mkstemp(name);
  unlink(name);
  if (write(file, "x", 1) != -1)
    _exit(97);
  use_sizes();
  if (sigpending(&set) != 0 || !sigismember(&set, SIGXFSZ))
    _exit(96);
}

/* ---- a call that is left ---- */

static sigjmp_buf back;
static volatile int of_thread;

static void
leave(int number)
{
  (void)number;
  if (of_thread)
    pthread_exit(NULL);
  siglongjmp(back, 1);
}

static void
count_on(void)
{
  for (int i = 0; i < 20; i++)
    free(malloc(44));
  kept[0] = malloc(55);
}

/* The real allocator finds that nobody gave this out. */
static void
case_left_free(void)
{
  signal(SIGABRT, leave);
  for (int i = 0; i < 3; i++)
    if (sigsetjmp(back, 1) == 0)
      free((char *)kept[0] + 8);
  count_on();
}

/* Where the monitor has a lock: it reads a name that is not there. */
static void
enter_nowhere(void)
{
  signal(SIGSEGV, leave);
  if (sigsetjmp(back, 1) == 0)
    mprof_region_begin(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                            -1, 0));
}

static void
case_left_lock(void)
{
  for (int i = 0; i < 3; i++)
    enter_nowhere();
  count_on();
}

static void *
end_in_handler(void *data)
{
  free(malloc(44));
  enter_nowhere();
  return data;
}

static void
case_left_thread(void)
{
  pthread_t thread;
  of_thread = 1;
  for (int i = 0; i < 3; i++) {
    pthread_create(&thread, NULL, end_in_handler, NULL);
    pthread_join(thread, NULL);
  }
  count_on();
}

static const struct test_case cases[] = {
  { "none", case_none },
  { "cancel", case_cancel },
  { "no-file", case_no_file },
  { "small-file", case_small_file },
  { "own-signal", case_own_signal },
  { "left-free", case_left_free },
  { "left-lock", case_left_lock },
  { "left-thread", case_left_thread },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  for (int i = 0; i < 5; i++)
    kept[i] = malloc(10);
  return run_case(cases, argc, argv);
}
