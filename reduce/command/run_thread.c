/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is done with the files of run_files.h while the program runs, and at
 * its end.
 */

#include "command/run_files.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

/* ---- what programs have lost ------------------------------------------- */

static bool
search_file(struct run_files *files, char *path, const char *process)
{
  char why[SEARCH_WHY_BYTES];
  (void)process;
  if (!searches_serve(&files->searches, path, why))
    fprintf(stderr, "mprof: cannot find what is lost in '%s': %s\n", path,
            why);
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

static uint64_t
milliseconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* A program that waits wakes it up, and so does the end. */
static void *
finish_again_and_again(void *closure)
{
  enum { MILLISECONDS = 300 };
  struct run_files *files = closure;
  uint64_t finished = milliseconds();
  while (!__atomic_load_n(&files->ended, __ATOMIC_ACQUIRE)) {
    wait_and_search(files, MILLISECONDS * 1000000);
    if (files->error.message[0] != '\0' ||
        milliseconds() - finished < MILLISECONDS)
      continue;
    run_files_others(files, finish_other);
    finished = milliseconds();
  }
  return NULL;
}

bool
run_thread_begin(pthread_t *thread, void *(*run)(void *), void *closure)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const bool good = pthread_create(thread, NULL, run, closure) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

void
run_files_begin(struct run_files *files, bool seeks)
{
  files->seeks = seeks;
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
  *error = files->error;
  return good;
}
