/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reach/traced_threads.h"

#include "base/array.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { STOP_SECONDS = 5 };

/* ---- one thread -------------------------------------------------------- */

/* A system call that was interrupted, and that the kernel does not begin
 * again by itself, would fail, which the program may not expect where nobody
 * sends it signals.  What close closes is closed even then. */
static void
begin_call_again(struct traced_thread *t)
{
  enum { CALL_BYTES = 2 };
  struct user_regs_struct *r = &t->registers;
  struct iovec part = {r, sizeof *r};
  if ((long)r->orig_rax < 0 || r->orig_rax == SYS_close ||
      r->rax != (unsigned long long)-EINTR)
    return;
  r->rax = r->orig_rax;
  r->rip -= CALL_BYTES;
  ptrace(PTRACE_SETREGSET, t->number, NT_PRSTATUS, &part);
}

/* It has stopped, and waitid says so.  Any stop will do. */
static void
see_stop(struct traced_thread *t, int status)
{
  struct iovec part = {&t->registers, sizeof t->registers};
  t->stands = ptrace(PTRACE_GETREGSET, t->number, NT_PRSTATUS, &part) == 0;
  if (status >> 16 == 0)
    t->signal = WSTOPSIG(status);
  else if (t->stands)
    begin_call_again(t);
}

/* Adds the thread, and asks it to stop.  False with errno set: that may not
 * be. */
static bool
trace(struct traced_threads *traced, pid_t number)
{
  if (ptrace(PTRACE_SEIZE, number, NULL, NULL) != 0)
    return false;
  ptrace(PTRACE_INTERRUPT, number, NULL, NULL);
  return ARRAY_PUSH(traced->threads, traced->count, traced->capacity,
                    (struct traced_thread){.number = number});
}

/* ---- which threads there are ------------------------------------------- */

/* What is behind a thread's name in its stat: its state, 5 numbers, and its
 * flags.  The kernel has threads that it works with for the process (such as
 * io_uring's) in its list, which run none of its code. */
static bool
runs_nothing(const char *stat)
{
  const unsigned long of_kernel = 0x10 | 0x4000; /* PF_IO_, PF_USER_WORKER */
  unsigned long flags = 0;
  char state = ' ';
  sscanf(stat, " %c %*d %*d %*d %*d %*d %lu", &state, &flags);
  return state == 'Z' || state == 'X' || (flags & of_kernel) != 0;
}

/* Whether nothing runs in the thread, though the kernel lists it. */
static bool
is_idle(pid_t process, pid_t thread)
{
  char name[64], text[256] = "";
  const char *end;
  snprintf(name, sizeof name, "/proc/%d/task/%d/stat", (int)process,
           (int)thread);
  FILE *file = fopen(name, "re");
  if (file == NULL)
    return errno == ENOENT || errno == ESRCH;
  bool read = fread(text, 1, sizeof text - 1, file) > 0;
  fclose(file);
  end = read ? strrchr(text, ')') : NULL; /* of its name */
  return !read || (end != NULL && runs_nothing(end + 1));
}

static bool
is_traced(const struct traced_threads *traced, pid_t number)
{
  for (size_t i = 0; i < traced->count; i++)
    if (traced->threads[i].number == number)
      return true;
  return false;
}

/* Traces those that are not traced yet.  How many there were; negative, with
 * errno set: one may not be traced. */
static int
trace_new(struct traced_threads *traced, pid_t process)
{
  char name[64];
  struct dirent *entry;
  int found = 0, failure = 0;
  snprintf(name, sizeof name, "/proc/%d/task", (int)process);
  DIR *folder = opendir(name);
  if (folder == NULL)
    return -1;
  while (found >= 0 && (entry = readdir(folder)) != NULL) {
    const pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);
    if (number <= 0 || is_traced(traced, number) || is_idle(process, number))
      continue;
    found++;
    if (trace(traced, number))
      continue;
    failure = errno;
    found = is_idle(process, number) ? found - 1 : -1;
  }
  closedir(folder);
  errno = failure;
  return found;
}

/* ---- all --------------------------------------------------------------- */

/* Takes thread I, which has ended, from the list. */
static void
forget(struct traced_threads *traced, size_t i)
{
  traced->threads[i] = traced->threads[--traced->count];
}

/* Whether all stand still now. */
static bool
all_stand(struct traced_threads *traced)
{
  bool all = true;
  for (size_t i = 0; i < traced->count;) {
    struct traced_thread *t = &traced->threads[i];
    int status;
    const pid_t changed =
        t->stands ? 0 : waitpid(t->number, &status, WNOHANG | __WALL);
    if (changed < 0 || (changed > 0 && !WIFSTOPPED(status))) {
      forget(traced, i);
      continue;
    }
    if (changed > 0)
      see_stop(t, status);
    all = all && t->stands;
    i++;
  }
  return all;
}

static bool
wait_for_all(struct traced_threads *traced)
{
  const struct timespec pause = {.tv_nsec = 100000};
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (!all_stand(traced)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin.tv_sec > STOP_SECONDS)
      return false;
    nanosleep(&pause, NULL);
  }
  return true;
}

/* A thread may begin another one before it stops. */
const char *
traced_threads_stop(struct traced_threads *traced, pid_t process)
{
  int found;
  *traced = (struct traced_threads){0};
  while ((found = trace_new(traced, process)) > 0)
    if (!wait_for_all(traced))
      return "a thread cannot be stopped";
  if (found < 0 && errno == EPERM)
    return "the process may not be traced, or is traced already";
  return found < 0            ? strerror(errno)
         : traced->count == 0 ? "the process has ended"
                              : NULL;
}

/* One that did not stop in time goes on when this process ends. */
void
traced_threads_resume(struct traced_threads *traced)
{
  for (size_t i = 0; i < traced->count; i++)
    ptrace(PTRACE_DETACH, traced->threads[i].number, NULL,
           (long)traced->threads[i].signal);
  free(traced->threads);
  *traced = (struct traced_threads){0};
}
