/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stopped_threads.c -- see stopped_threads.h.
 *
 * The C library lets nobody have that signal, so the kernel is asked.  The
 * library's own, which may come meanwhile, are passed on.
 */
#include "malloc/reach/stopped_threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch/attributes.h"

enum {
  STOP_SIGNAL = 33, /* SIGSETXID */
  STOP_SECONDS = 5,
  RED_ZONE = 128, /* bytes below the stack pointer, in use too */
  MOST_THREADS = 1 << 16
};

typedef void handler_fn(int, siginfo_t *, void *);

/* As the kernel has it. */
struct kernel_action {
  handler_fn *handler;
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

static struct {
  struct stopped_thread *threads;
  uint32_t taken, arrived; /* of these */
  uint32_t go_on;          /* threads wait for it */
  struct kernel_action before;
} stop;

void mprof_stop_return(void) HIDDEN;
__asm__(".text\n"
        ".hidden mprof_stop_return\n"
        ".globl mprof_stop_return\n"
        ".type mprof_stop_return, @function\n"
        "mprof_stop_return:\n\t"
        "mov $15, %rax\n\t" /* rt_sigreturn */
        "syscall\n"
        ".size mprof_stop_return, .-mprof_stop_return\n");

void
stopped_thread_in_handler(struct stopped_thread *thread, const void *context)
{
  const ucontext_t *const found = context;
  const greg_t *const registers = found->uc_mcontext.gregs;
  *thread = (struct stopped_thread){
      .stack = (uintptr_t)registers[REG_RSP] - RED_ZONE,
      .base = (uintptr_t)__builtin_thread_pointer()};
  for (int i = 0; i < STOPPED_REGISTERS; i++)
    thread->registers[i] = (uintptr_t)registers[i]; /* the first are these */
}

/* A system call that was interrupted, and that the kernel does not begin
 * again by itself as it does read (such as poll), would fail, which the
 * program may not expect where nobody sends it signals.  So where it is
 *
 *     b8 N 0 0 0   mov $N, %eax
 *     0f 05        syscall
 *
 * as in the GNU C library 2.36, the thread goes back to that.  What close
 * closes is closed even then. */
static UNSANITIZED void
begin_call_again(ucontext_t *context)
{
  enum { BYTES = 7, PAGE = 4096 };
  greg_t *const registers = context->uc_mcontext.gregs;
  const greg_t at = registers[REG_RIP] - BYTES;
  const uint8_t *const code = (const uint8_t *)at;
  if (registers[REG_RAX] == -EINTR && at % PAGE < PAGE - BYTES &&
      code[0] == 0xB8 && code[1] != SYS_close && code[5] == 0x0F &&
      code[6] == 0x05)
    registers[REG_RIP] = at;
}

static void
wait_here(int number, siginfo_t *info, void *context)
{
  const int saved = errno;
  if (info->si_code != SI_QUEUE || info->si_ptr != &stop) {
    if (stop.before.handler != NULL) /* SIG_DFL */
      stop.before.handler(number, info, context);
  } else if (__atomic_load_n(&stop.go_on, __ATOMIC_ACQUIRE) == 0) {
    const uint32_t i = __atomic_fetch_add(&stop.taken, 1, __ATOMIC_RELAXED);
    if (i < MOST_THREADS) {
      stopped_thread_in_handler(&stop.threads[i], context);
      stop.threads[i].number = (pid_t)syscall(SYS_gettid);
    }
    __atomic_fetch_add(&stop.arrived, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&stop.go_on, __ATOMIC_ACQUIRE) == 0)
      syscall(SYS_futex, &stop.go_on, FUTEX_WAIT_PRIVATE, 0, NULL);
    begin_call_again(context);
  }
  errno = saved;
}

static long
set_action(const struct kernel_action *action, struct kernel_action *before)
{
  return syscall(SYS_rt_sigaction, STOP_SIGNAL, action, before,
                 sizeof action->mask);
}

/* ---- which threads there are ---- */

/* What is behind a thread's name in its stat: its state, 5 numbers, and its
 * flags.  The kernel has threads that it works with for the process (such as
 * io_uring's) in its list, which take no signals and run none of its code. */
static bool
runs_nothing(const char *stat)
{
  const unsigned long of_kernel = 0x10 | 0x4000; /* PF_IO_, PF_USER_WORKER */
  unsigned long flags = 0;
  char state = ' ';
  sscanf(stat, " %c %*d %*d %*d %*d %*d %lu", &state, &flags);
  return state == 'Z' || state == 'X' || (flags & of_kernel) != 0;
}

/* Whether nothing runs in the thread, though the kernel has it in its list. */
static bool
is_idle(pid_t thread)
{
  char name[64], text[256] = "";
  const char *end;
  ssize_t got;
  int file;
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)thread);
  file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT || errno == ESRCH;
  got = read(file, text, sizeof text - 1);
  close(file);
  end = got < 0 ? NULL : strrchr(text, ')'); /* of its name */
  return got < 0 ? errno == ESRCH
                 : end != NULL && runs_nothing(end + 1);
}

static bool
has_arrived(pid_t thread)
{
  const uint32_t count = __atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < MOST_THREADS; i++)
    if (__atomic_load_n(&stop.threads[i].number, __ATOMIC_ACQUIRE) == thread)
      return true;
  return false;
}

/* Send it the signal, unless it is among the `count' that were sent it. */
static void
send(pid_t thread, pid_t *sent, uint32_t *count)
{
  siginfo_t info = {.si_code = SI_QUEUE};
  for (uint32_t i = 0; i < *count; i++)
    if (sent[i] == thread)
      return;
  info.si_pid = getpid();
  info.si_ptr = &stop;
  if (*count < MOST_THREADS && syscall(SYS_rt_tgsigqueueinfo, info.si_pid,
                                       thread, STOP_SIGNAL, &info) == 0)
    sent[(*count)++] = thread;
}

/* How many of the threads that are listed do not stand still; negative: there
 * is no list. */
static long
count_running(pid_t *sent, uint32_t *count)
{
  _Alignas(struct dirent64) char entries[4096];
  const pid_t mine = (pid_t)syscall(SYS_gettid);
  const int folder =
      open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long running = folder < 0 ? -1 : 0;
  ssize_t size = 0;
  while (folder >= 0 &&
         (size = getdents64(folder, entries, sizeof entries)) > 0)
    for (ssize_t at = 0; at < size;) {
      const struct dirent64 *e = (const struct dirent64 *)(entries + at);
      const pid_t thread = (pid_t)strtol(e->d_name, NULL, 10);
      at += e->d_reclen;
      if (thread <= 0 || thread == mine || has_arrived(thread))
        continue;
      send(thread, sent, count);
      running += !is_idle(thread);
    }
  if (folder >= 0)
    close(folder);
  return size < 0 ? -1 : running;
}

/* A thread may begin another one before it stops, so none may have arrived
 * while they were listed. */
static bool
wait_for_all(pid_t *sent)
{
  const struct timespec pause = {.tv_nsec = 100000};
  struct timespec now, begin;
  uint32_t count = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    const uint32_t arrived = __atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE);
    const long running = count_running(sent, &count);
    if (running < 0)
      return false;
    if (running == 0 &&
        arrived == __atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE))
      return arrived <= MOST_THREADS;
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec <= STOP_SECONDS);
  return false;
}

bool
stopped_threads_stop(struct stopped_threads *stopped)
{
  const struct kernel_action action = {.handler = wait_here,
                                       .flags = SA_SIGINFO | SA_ONSTACK |
                                                SA_RESTART | 0x04000000u,
                                       .restorer = mprof_stop_return,
                                       .mask = ~UINT64_C(0)};
  struct kernel_action before;
  *stopped = (struct stopped_threads){0};
  if (arena_reserve(&stopped->arena, (sizeof *stop.threads + sizeof(pid_t)) *
                                         MOST_THREADS) != 0)
    return false;
  stop.threads = stopped->arena.base;
  stop.taken = stop.arrived = 0;
  __atomic_store_n(&stop.go_on, 0, __ATOMIC_RELEASE);
  if (set_action(NULL, &before) != 0)
    return false;
  if (before.handler != wait_here) /* some did not stop in time before */
    stop.before = before;
  set_action(&action, NULL);
  stopped->threads = stop.threads;
  stopped->all = wait_for_all((pid_t *)(stop.threads + MOST_THREADS));
  stopped->count = stop.arrived;
  return stopped->all;
}

/* One that did not stop in time may be about to write to its place. */
void
stopped_threads_resume(struct stopped_threads *stopped)
{
  __atomic_store_n(&stop.go_on, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &stop.go_on, FUTEX_WAKE_PRIVATE, INT32_MAX);
  if (!stopped->all)
    return;
  set_action(&stop.before, NULL);
  arena_release(&stopped->arena);
}
