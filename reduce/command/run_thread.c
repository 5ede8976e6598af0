/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is done with the files of run_files.h while the program runs, and at
 * its end.
 */

#include "command/command.h"
#include "command/run_files.h"
#include "command/run_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* ---- what programs have lost ------------------------------------------- */

static bool
search_file(struct run_files *files, char *path, const char *process)
{
  char why[SEARCH_WHY_BYTES];
  (void)process;
  if (!searches_serve(&files->searches, path, why))
    mprof_say("cannot find what is lost in '%s': %s", path, why);
  return true;
}

/* For all programs that wait for it. */
static void
search_all(struct run_files *files)
{
  if (files->seeks) {
    search_file(files, files->path, NULL);
    run_files_others(files, search_file);
  }
}

/* Waits until a program waits, or so long; then searches. */
static void
wait_and_search(struct run_files *files, long nanoseconds)
{
  const struct timespec pause = {.tv_nsec = nanoseconds};
  sigset_t wakes;
  sigemptyset(&wakes);
  sigaddset(&wakes, RUN_FILES_SIGNAL);
  if (sigtimedwait(&wakes, NULL, &pause) > 0 || nanoseconds > 0)
    search_all(files);
}

/* ---- files that are complete ------------------------------------------- */

/* Programs that wait do not wait for this. */
static bool
finish_other(struct run_files *files, char *path, const char *process)
{
  bool left;
  if (!__atomic_load_n(&files->ended, __ATOMIC_ACQUIRE))
    wait_and_search(files, 0);
  return run_files_finish_one(files, path, process, &left);
}

/* A program that waits wakes it up, and so does the end. */
static void *
finish_again_and_again(void *closure)
{
  enum { NANOSECONDS = 300000000 };
  struct run_files *files = closure;
  uint64_t finish = run_timelines_now(files) + NANOSECONDS;
  uint64_t take = files->interval == 0 ? UINT64_MAX : files->interval;
  while (!__atomic_load_n(&files->ended, __ATOMIC_ACQUIRE)) {
    const uint64_t next = finish < take ? finish : take;
    const uint64_t now = run_timelines_now(files);
    wait_and_search(files, next > now ? (long)(next - now) : 1);
    if (run_timelines_now(files) >= take) {
      run_timelines_take(files);
      take += (run_timelines_now(files) - take) / files->interval *
                  files->interval +
              files->interval;
    }
    if (run_timelines_now(files) < finish)
      continue;
    if (files->error.message[0] == '\0')
      run_files_others(files, finish_other);
    finish = run_timelines_now(files) + NANOSECONDS;
  }
  return NULL;
}

bool
run_thread_begin(pthread_t *thread, void *(*run)(void *), void *closure)
{
  pthread_attr_t attributes;
  sigset_t before;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, COMMAND_STACK_BYTES);
  run_signals_block(&before);
  const bool good = pthread_create(thread, &attributes, run, closure) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

void
run_files_begin(struct run_files *files, bool seeks, uint64_t interval)
{
  files->seeks = seeks;
  files->interval = interval;
  files->started = run_timelines_now(files);
  files->begun =
      run_thread_begin(&files->thread, finish_again_and_again, files);
}

bool
run_files_finish(struct run_files *files, bool *root,
                 struct mprof_error *error)
{
  __atomic_store_n(&files->ended, true, __ATOMIC_RELEASE);
  if (files->begun) {
    pthread_kill(files->thread, RUN_FILES_SIGNAL);
    pthread_join(files->thread, NULL);
    files->begun = false;
  }
  search_all(files); /* of processes that end after the program */
  *root = false;
  const bool good = files->error.message[0] == '\0' &&
                    run_files_finish_one(files, files->path, NULL, root) &&
                    run_files_others(files, finish_other);
  const int reason = errno;
  *error = files->error;
  if (!good && error->message[0] == '\0')
    mprof_line(error->message, "cannot write '%s': %s", files->name,
               strerror(reason));
  return good;
}
