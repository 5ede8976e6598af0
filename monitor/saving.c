/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * saving.c -- the figures, to be read or written, once or again and again.
 *
 * To write the figures while counting is to hold up all threads, so that
 * trees, counters and the collector's sum are of the same moment.  They are
 * copied (lisp_figures.h), and the threads go on while the copy is written.
 *
 * What is saved again and again is there when the program is killed.  A
 * thread does that which Lisp has made, since names of Lisp are printed; it
 * allocates nothing while it waits and saves, and so is in no profile.
 *
 * Not done here: stopping threads (stop.c), the format (write/).
 */
#include "monitor.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "entry.h"
#include "live/live_frees.h"
#include "names/code_functions.h"
#include "names/kept_objects.h"
#include "threads/stop.h"
#include "threads/threads.h"
#include "write/lisp_profile.h"
#include "write/quiet.h"

/* ---- what went wrong ---- */

static _Thread_local char message[512];

const char *
mprof_monitor_message(void)
{
  return message;
}

int
monitor_fail(int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

/* ---- once ---- */

static uint64_t stop_began, stopped; /* nanoseconds */

uint64_t
monitor_stopped_nanoseconds(void)
{
  return __atomic_load_n(&stopped, __ATOMIC_RELAXED);
}

static uint64_t
now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
stop(bool balanced)
{
  stop_began = now();
  if (balanced)
    stop_begin();
  else
    stop_set_gates(GATE_PAUSED);
}

static void
go_on(bool balanced)
{
  if (balanced)
    stop_end();
  else
    stop_set_gates(GATE_OPEN);
  __atomic_store_n(&stopped, now() - stop_began, __ATOMIC_RELAXED);
}

/* Printing waits for the runtime's lock on packages, and a thread that holds
 * it may wait at its gate: it is in the middle of INTERN, say, which
 * allocates.  So names are printed before, until none is missing. */
static void
stop_with_names(bool balanced)
{
  for (;;) {
    kept_objects_print_names(true);
    if (!monitor.running)
      return;
    stop(balanced);
    if (!kept_objects_names_wait())
      return;
    go_on(balanced);
  }
}

/* Wipe what functions that have returned left below this frame: frames to
 * come would keep it alive where they do not write.  Likewise the values of
 * the last Lisp function. */
static void __attribute__((noinline))
forget_words(cl_env_ptr env)
{
  enum { STACK_BYTES = 64 << 10 };
  volatile char stack[STACK_BYTES];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = 0;
  for (size_t i = 0; i < ECL_MULTIPLE_VALUES_LIMIT; i++)
    env->values[i] = ECL_NIL;
}

/* What is alive is as of one moment. */
static void
hold_live(bool hold)
{
  if (!monitor.follow)
    return;
  if (hold) {
    GC_disable();
    live_frees_begin();
  } else {
    live_frees_end();
    GC_enable();
  }
}

/* Copy the figures while the threads stand still, and put them into the file;
 * who holds what is looked for before the threads go on. */
static bool
take_and_put(struct gzip_file *file, struct lisp_figures *figures, int before)
{
  const bool holders = (before & MPROF_HOLDERS) != 0;
  const bool balanced = (before & MPROF_UNBALANCED) == 0;
  bool taken;
  if (!lisp_figures_reserve(figures))
    return false;
  stop_with_names(balanced);
  if ((before & (MPROF_COLLECT | MPROF_HOLDERS)) != 0) {
    forget_words(ecl_process_env());
    GC_gcollect();
  }
  hold_live(true);
  taken = monitor_look_for_code() && lisp_figures_take(figures);
  figures->balanced = balanced;
  figures->heap = (before & MPROF_HEAP) != 0;
  if (taken && holders) {
    code_functions_find_names(&monitor.code);
    lisp_profile_put(file, figures, true);
  }
  hold_live(false);
  if (monitor.running)
    go_on(balanced);
  if (taken && !holders) {
    code_functions_find_names(&monitor.code);
    lisp_profile_put(file, figures, false);
  }
  return taken;
}

static int
put_figures(struct gzip_file *file, int before)
{
  struct lisp_figures figures = {0};
  const int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  if (!take_and_put(file, &figures, before))
    gzip_file_fail(file, ENOMEM);
  lisp_figures_release(&figures);
  return monitor_leave(MPROF_OK);
}

static int
fail_to_write(const char *where, int error)
{
  return monitor_fail(error == ENOMEM ? MPROF_NO_MEMORY : MPROF_CANNOT_WRITE,
                      "cannot write '%s': %s", where, strerrordesc_np(error));
}

/* Held by who writes a file, so that no two write the same one.  The program
 * goes on while it is brought to disk. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static int
write_file(const char *path, const char *temporary, int before)
{
  struct gzip_file file = {.always = true};
  int status;
  gzip_file_open(&file, path, temporary);
  status = put_figures(&file, before);
  if (status != MPROF_OK)
    gzip_file_fail(&file, EINVAL);
  gzip_file_close(&file);
  return status == MPROF_OK && file.failed != 0
             ? fail_to_write(path, file.failed)
             : status;
}

int
mprof_monitor_write(const char *path, int before)
{
  char temporary[PATH_MAX];
  struct quiet quiet;
  sigset_t signals;
  int status;
  if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= PATH_MAX)
    return fail_to_write(path, ENAMETOOLONG);
  monitor_block_interrupts(&signals);
  quiet_begin(&quiet, false);
  pthread_mutex_lock(&writing);
  status = write_file(path, temporary, before);
  pthread_mutex_unlock(&writing);
  quiet_end(&quiet);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
  return status;
}

struct snapshot {
  struct arena contents;
  size_t length;
};

void *
mprof_monitor_snapshot(int before)
{
  struct snapshot *const snapshot = malloc(sizeof *snapshot);
  struct gzip_file file = {.plain = true};
  int status = MPROF_OK;
  gzip_file_open_in_memory(&file);
  if (snapshot == NULL)
    gzip_file_fail(&file, ENOMEM);
  else
    status = put_figures(&file, before);
  if (status != MPROF_OK)
    gzip_file_fail(&file, EINVAL);
  gzip_file_close(&file);
  if (file.failed == 0) {
    *snapshot = (struct snapshot){file.contents, file.length};
    return snapshot;
  }
  if (status == MPROF_OK)
    fail_to_write("memory", file.failed);
  free(snapshot);
  return NULL;
}

const void *
mprof_snapshot_octets(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->contents.base;
}

unsigned long
mprof_snapshot_length(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->length;
}

void
mprof_snapshot_free(void *snapshot)
{
  arena_release(&((struct snapshot *)snapshot)->contents);
  free(snapshot);
}

/* ---- again and again ---- */

void
monitor_saving_forked(void)
{
  pthread_mutex_init(&writing, NULL);
}

static struct {
  sem_t end;
  unsigned long milliseconds;
  bool waits;
} autosave;

bool
monitor_wait_to_save(void)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += (time_t)(autosave.milliseconds / 1000);
  at.tv_nsec += (long)(autosave.milliseconds % 1000) * 1000000;
  if (at.tv_nsec >= 1000000000) {
    at.tv_sec++;
    at.tv_nsec -= 1000000000;
  }
  __atomic_store_n(&autosave.waits, true, __ATOMIC_RELEASE);
  while (sem_clockwait(&autosave.end, CLOCK_MONOTONIC, &at) != 0)
    if (errno != EINTR)
      return true;
  return false;
}

int
mprof_monitor_autosave_every(unsigned long milliseconds)
{
  if (milliseconds == 0) {
    sem_post(&autosave.end);
    return MPROF_OK;
  }
  autosave.milliseconds = milliseconds;
  autosave.waits = false;
  sem_init(&autosave.end, 0, 0);
  return MPROF_OK;
}

bool
monitor_autosave_waits(void)
{
  return __atomic_load_n(&autosave.waits, __ATOMIC_ACQUIRE);
}

int
mprof_monitor_autosave(const char *path)
{
  int worst = MPROF_OK;
  while (monitor_wait_to_save()) {
    const int status = mprof_monitor_write(path, 0);
    if (status != MPROF_OK && worst == MPROF_OK)
      fprintf(stderr, "mprof: %s\n", message);
    worst = status != MPROF_OK ? status : worst;
  }
  return worst;
}
