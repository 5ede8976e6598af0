/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Lisp process that has loaded this library, as a program to serve.
 * lisp/bindings.lisp finds the functions by name, so that their
 * arguments have types that Lisp can pass.  Lisp has loaded the library of
 * the monitor before this one, with global symbols.  The command mprof has no
 * monitor.
 */

#include "monitor.h"
#include "serve/server.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#pragma weak mprof_monitor_counter
#pragma weak mprof_monitor_snapshot
#pragma weak mprof_monitor_message
#pragma weak mprof_snapshot_octets
#pragma weak mprof_snapshot_length
#pragma weak mprof_snapshot_free

/* Belong to the collector, which stops and restarts threads by these signals;
 * NULL in a process without it. */
extern int GC_get_suspend_signal(void) __attribute__((weak));
extern int GC_get_thr_restart_signal(void) __attribute__((weak));
extern unsigned long GC_get_gc_no(void) __attribute__((weak));

/* The timeline that is open, for other threads; NULL: none is. */
static struct {
  pthread_mutex_t one; /* who uses it has it */
  void *timeline;      /* of mprof.h */
} current = {PTHREAD_MUTEX_INITIALIZER, NULL};

/* Takes a snapshot.  It is not balanced, so that threads stop only for a
 * short time: no reader of it shows the reconciliation. */
static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  (void)closure;
  void *taken = mprof_monitor_snapshot(
      MPROF_UNBALANCED | ((how & SNAPSHOT_COLLECT) != 0 ? MPROF_COLLECT : 0));
  if (taken == NULL) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s", mprof_monitor_message());
    return NULL;
  }
  pthread_mutex_lock(&current.one);
  void *profile = mprof_profile_open_octets(mprof_snapshot_octets(taken),
                                            mprof_snapshot_length(taken),
                                            current.timeline);
  pthread_mutex_unlock(&current.one);
  mprof_snapshot_free(taken);
  if (profile == NULL)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  return profile;
}

static bool
follows(void *closure)
{
  (void)closure;
  return mprof_monitor_counter(MPROF_FOLLOWS) != 0;
}

static uint64_t
generation(void *closure)
{
  (void)closure;
  return mprof_monitor_counter(MPROF_RESETS);
}

static char failure[PROGRAM_MESSAGE_LENGTH];

/* Returns this process, whose functions a Lisp thread may call; or NULL
 * without a monitor, with the reason in `failure'. */
static const struct program *
lisp_program(void)
{
  static struct program program = {.snapshot = take_snapshot,
                                   .follows = follows,
                                   .generation = generation};
  if (mprof_monitor_snapshot == NULL) {
    snprintf(failure, sizeof failure,
             "the monitor is not loaded in this process");
    return NULL;
  }
  sigfillset(&program.interrupts);
  sigdelset(&program.interrupts, SIGSEGV);
  sigdelset(&program.interrupts, SIGBUS);
  if (GC_get_suspend_signal != NULL && GC_get_thr_restart_signal != NULL) {
    sigdelset(&program.interrupts, GC_get_suspend_signal());
    sigdelset(&program.interrupts, GC_get_thr_restart_signal());
  }
  return &program;
}

/* Calls mprof_server_open and returns the address of the server, or 0.
 * ADDRESS is "" for the loopback interface. */
MPROF_API unsigned long mprof_lisp_serve(const char *address, unsigned port);

/* Returns why mprof_lisp_serve returned 0.  The text is valid until its next
 * call. */
MPROF_API const char *mprof_lisp_message(void);

unsigned long
mprof_lisp_serve(const char *address, unsigned port)
{
  const struct program *program = lisp_program();
  return program == NULL
             ? 0
             : (unsigned long)mprof_server_open(
                   *address == '\0' ? NULL : address, port, program, failure);
}

const char *
mprof_lisp_message(void)
{
  return failure;
}

/* ---- the timeline ------------------------------------------------------ */

/* A Lisp thread reads the counters at each interval.  It allocates nothing,
 * and holds up other threads only while their counters are copied. */
struct lisp_timeline {
  void *timeline; /* of mprof.h */
  int64_t started;
  int wake, timer; /* an event: the end; and what tells the intervals */
  sem_t runs;
};

/* Opens the timeline of this process, with slices of so many milliseconds.
 * Returns its address, or 0. */
MPROF_API unsigned long mprof_lisp_timeline_open(unsigned long milliseconds);

/* Takes slices until mprof_lisp_timeline_stop is called; and waits until it
 * does, each time that counting starts, so that what its thread allocates to
 * begin with is not counted. */
MPROF_API void mprof_lisp_timeline_run(struct lisp_timeline *timeline);
MPROF_API void mprof_lisp_timeline_await(struct lisp_timeline *timeline);
MPROF_API void mprof_lisp_timeline_stop(struct lisp_timeline *timeline);
MPROF_API void mprof_lisp_timeline_close(struct lisp_timeline *timeline);

/* Returns what mprof_profile_open_octets takes. */
MPROF_API void *mprof_lisp_timeline_slices(struct lisp_timeline *timeline);

static void
end(struct lisp_timeline *t)
{
  if (t->timeline != NULL)
    mprof_timeline_close(t->timeline);
  close(t->wake);
  close(t->timer);
  free(t);
}

unsigned long
mprof_lisp_timeline_open(unsigned long milliseconds)
{
  struct lisp_timeline *t =
      lisp_program() == NULL ? NULL : calloc(1, sizeof *t);
  if (t == NULL)
    return 0;
  const struct timespec every = {(time_t)(milliseconds / 1000),
                                 (long)(milliseconds % 1000) * 1000000};
  t->started = clock_nanos(CLOCK_MONOTONIC);
  sem_init(&t->runs, 0, 0);
  t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  t->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  t->timeline = mprof_timeline_open(milliseconds * UINT64_C(1000000));
  if (t->timeline == NULL || t->wake < 0 ||
      timerfd_settime(t->timer, 0, &(struct itimerspec){every, every},
                      NULL) != 0) {
    end(t);
    return 0;
  }
  current.timeline = t->timeline;
  return (unsigned long)t;
}

static void
take(struct lisp_timeline *t)
{
  const uint64_t resets = mprof_monitor_counter(MPROF_RESETS);
  void *taken = mprof_monitor_counter(MPROF_RUNNING) == 0
                    ? NULL
                    : mprof_monitor_snapshot(MPROF_UNBALANCED);
  if (taken == NULL)
    return;
  if (mprof_monitor_counter(MPROF_RESETS) == resets)
    mprof_timeline_take(t->timeline, mprof_snapshot_octets(taken),
                        mprof_snapshot_length(taken), resets,
                        (uint64_t)(clock_nanos(CLOCK_MONOTONIC) - t->started),
                        GC_get_gc_no == NULL ? 0 : GC_get_gc_no());
  mprof_snapshot_free(taken);
}

void
mprof_lisp_timeline_run(struct lisp_timeline *t)
{
  struct pollfd polled[] = {{t->wake, POLLIN, 0}, {t->timer, POLLIN, 0}};
  sigset_t before;
  uint64_t intervals;
  pthread_sigmask(SIG_BLOCK, &lisp_program()->interrupts, &before);
  sem_post(&t->runs);
  while (ppoll(polled, 2, NULL, &before) <= 0 || polled[0].revents == 0)
    if (read(t->timer, &intervals, sizeof intervals) > 0)
      take(t);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
mprof_lisp_timeline_await(struct lisp_timeline *t)
{
  while (sem_wait(&t->runs) != 0)
    continue;
  sem_post(&t->runs); /* for the next start */
}

void
mprof_lisp_timeline_stop(struct lisp_timeline *t)
{
  eventfd_write(t->wake, 1);
}

void
mprof_lisp_timeline_close(struct lisp_timeline *t)
{
  pthread_mutex_lock(&current.one);
  current.timeline = NULL;
  pthread_mutex_unlock(&current.one);
  end(t);
}

void *
mprof_lisp_timeline_slices(struct lisp_timeline *t)
{
  return t->timeline;
}
