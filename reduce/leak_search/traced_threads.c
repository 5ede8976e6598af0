/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stops the threads of a process by ptrace.  They are asked all at once,
 * again and again until none is new. */

#include "leak_search/stopped_program.h"

#include "base/array.h"
#include "base/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- one thread -------------------------------------------------------- */

/* Notes that it has stopped, as STATUS of waitpid says.  Any stop will do.
 *
 * The kernel restarts most system calls by itself after a stop.  The others
 * fail with EINTR, which a program that gets no signals may not expect. */
static void
see_stop(struct traced_thread *t, int status)
{
  struct iovec part = {&t->registers, sizeof t->registers};
  t->stands = ptrace(PTRACE_GETREGSET, t->number, NT_PRSTATUS, &part) == 0;
  t->thread_pointer = arch_traced_thread_pointer(t->number, &t->registers);
  if (status >> 16 != 0 && t->stands)
    status =
        arch_traced_call_again(t->number, &t->call, &t->registers, status);
  t->stands = t->stands && WIFSTOPPED(status);
  if (status >> 16 == 0 && WSTOPSIG(status) != ARCH_AT_CALL)
    t->signal = WSTOPSIG(status);
}

/* ---- which threads there are ------------------------------------------- */

static bool
is_traced(const struct traced_threads *traced, pid_t number)
{
  for (size_t i = 0; i < traced->count; i++)
    if (traced->threads[i].number == number)
      return true;
  return false;
}

/* Asks those that are not traced yet to stop.  Returns false if all are.  One
 * that may not be traced, where others may, has ended. */
static bool
trace_new(struct traced_threads *traced, DIR *folder)
{
  const struct dirent *entry;
  const size_t before = traced->count;
  rewinddir(folder);
  while ((entry = readdir(folder)) != NULL) {
    const pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);
    if (number <= 0 || is_traced(traced, number))
      continue;
    ARRAY_ROOM(traced->threads, traced->capacity, traced->count + 1);
    if (ptrace(PTRACE_SEIZE, number, NULL, PTRACE_O_TRACESYSGOOD) == 0)
      traced->threads[traced->count++] =
          (struct traced_thread){.number = number};
  }
  for (size_t i = before; i < traced->count; i++) {
    struct traced_thread *const t = &traced->threads[i];
    arch_traced_call(t->number, &t->call);
    ptrace(PTRACE_INTERRUPT, t->number, NULL, NULL);
  }
  return traced->count > before;
}

/* ---- all --------------------------------------------------------------- */

/* Returns whether all stand still now; removes those that have ended. */
static bool
all_stand(struct traced_threads *traced)
{
  bool all = true;
  for (size_t i = traced->count; i-- > 0;) {
    struct traced_thread *t = &traced->threads[i];
    int status;
    const pid_t changed =
        t->stands ? 0 : waitpid(t->number, &status, WNOHANG | __WALL);
    if (changed < 0 || (changed > 0 && !WIFSTOPPED(status))) {
      *t = traced->threads[--traced->count];
      continue;
    }
    if (changed > 0)
      see_stop(t, status);
    all = all && t->stands;
  }
  return all;
}

static void
wait_for_all(struct traced_threads *traced)
{
  enum { TRIES = 5 * 10000 }; /* 5 seconds */
  const struct timespec pause = {.tv_nsec = 50000};
  for (int i = 0; !all_stand(traced); i++) {
    if (i == TRIES)
      fail_with(MPROF_CANNOT_RUN, "a thread cannot be stopped");
    nanosleep(&pause, NULL);
  }
}

/* Stops threads until none is new: one may begin another before it stops. */
void
traced_threads_stop(struct traced_threads *traced, pid_t process)
{
  char program[1];
  DIR *folder = input_folder(pool_format("/proc/%d/task", (int)process));
  const int error = errno;
  *traced = (struct traced_threads){0};
  if (folder != NULL) {
    while (trace_new(traced, folder))
      wait_for_all(traced);
    pool_release_now(folder);
  }
  if (traced->count > 0)
    return;
  const bool ended = readlink(pool_format("/proc/%d/exe", (int)process),
                              program, sizeof program) < 0 &&
                     errno == ENOENT;
  fail_with(MPROF_CANNOT_RUN, "%s",
            ended ? "the process has ended"
            : folder == NULL
                ? strerror(error)
                : "the process may not be traced, or is traced already");
}

/* Lets them go on; one that did not stop in time does at this process's end.
 */
void
traced_threads_resume(struct traced_threads *traced)
{
  for (size_t i = 0; i < traced->count; i++)
    ptrace(PTRACE_DETACH, traced->threads[i].number, NULL,
           (long)traced->threads[i].signal);
  *traced = (struct traced_threads){0};
}
