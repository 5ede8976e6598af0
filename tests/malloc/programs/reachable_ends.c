/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reachable_ends.c -- as reachable.c, with threads and at different ends; and
 * threads that wait in the kernel meanwhile, and say so when their calls end.
 */
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <ucontext.h>

#include "cases.h"
#include "hidden.h"
#include "mprof_malloc.h"

enum { COROUTINE_BYTES = 1 << 18 }; /* more than wipe() takes */

static void *volatile global, *volatile other;
static __thread void *volatile of_thread;

/* ---- threads ---- */

static pthread_barrier_t barrier;
static pthread_key_t key;

static ALONE void
wait_on_stack(volatile void *on_stack)
{
  wipe();
  pthread_barrier_wait(&barrier);
  for (;;)
    pause();
}

static void *
run(void *number)
{
  void *volatile on_stack = SHOW(hide(1001));
  of_thread = SHOW(hide(1002));
  pthread_setspecific(key, SHOW(hide(1003)));
  hide(1004);
  if ((uintptr_t)number % 2 != 0) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
  }
  wait_on_stack(&on_stack);
  return NULL;
}

static ALONE void
start(int n, void *(*function)(void *))
{
  pthread_t thread;
  pthread_key_create(&key, NULL);
  pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
  for (uintptr_t i = 0; i < (uintptr_t)n; i++)
    pthread_create(&thread, NULL, function, (void *)i);
  pthread_barrier_wait(&barrier);
  wipe();
}

CASE(threads) { start(8, run); }

static volatile int spinning;

/* Only a register has it. */
static void *
spin(void *unused)
{
  const uintptr_t p = hide(1001);
  pthread_barrier_wait(&barrier);
  wipe();
#ifdef __aarch64__
  __asm__ volatile("mvn x19, %1\n"
                   "1:\tldaxr w20, %0\n\tadd w20, w20, 1\n\t"
                   "stlxr w21, w20, %0\n\tcbnz w21, 1b\n\t"
                   "mov w20, 0\n2:\tyield\n\tb 2b"
                   : "+Q"(spinning)
                   : "r"(p)
                   : "x19", "x20", "x21");
#else
  __asm__ volatile("mov %1, %%r13\n\tnot %%r13\n\tlock incl %0\n"
                   "1:\tpause\n\tjmp 1b"
                   : "+m"(spinning)
                   : "r"(p)
                   : "r13");
#endif
  return unused;
}

CASE(register)
{
  start(2, spin);
  while (spinning < 2)
    usleep(100);
}

static void *
end(void *unused)
{
  of_thread = SHOW(hide(1002));
  wipe();
  exit(0);
  return unused;
}

/* A thread ends the process, and this one waits with something on its stack.
 */
CASE(thread_ends)
{
  void *volatile on_stack = SHOW(hide(1001));
  pthread_t thread;
  pthread_create(&thread, NULL, end, NULL);
  pthread_join(thread, (void **)&on_stack);
}

static void *
return_at_once(void *unused)
{
  of_thread = SHOW(hide(1001));
  return unused;
}

/* Where it had something is no thread's any more. */
CASE(thread_ended)
{
  pthread_t thread;
  pthread_create(&thread, NULL, return_at_once, NULL);
  pthread_join(thread, NULL);
}

static void *
end_last(void *first)
{
  of_thread = SHOW(hide(1001));
  hide(1002);
  pthread_join(*(pthread_t *)first, NULL);
  exit(0);
}

/* The first thread ends, and the process does not. */
CASE(first_ended)
{
  static pthread_t first;
  pthread_t thread;
  first = pthread_self();
  pthread_create(&thread, NULL, end_last, &first);
  wipe();
  pthread_exit(NULL);
}

/* ---- the end ---- */

static ALONE void
some(void)
{
  global = SHOW(hide(1001));
  hide(1002);
  wipe();
}

/* A coroutine's function: ends the program with something on its stack. */
static void
end_here(void)
{
  void *volatile on_stack = SHOW(hide(1001));
  hide(1002);
  wipe();
  exit(on_stack == NULL);
}

static ALONE void
end_on(void *stack)
{
  ucontext_t there;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = COROUTINE_BYTES;
  there.uc_link = NULL;
  makecontext(&there, end_here, 0);
  setcontext(&there);
}

/* With a page on either side that nobody can read. */
CASE(mapped_stack)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *all = mmap(NULL, COROUTINE_BYTES + 2 * page, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + page, COROUTINE_BYTES, PROT_READ | PROT_WRITE);
  end_on(all + page);
}

CASE(stack_object)
{
  end_on(malloc(COROUTINE_BYTES));
}

CASE(_exit)
{
  some();
  _exit(0);
}

CASE(quick_exit)
{
  some();
  quick_exit(0);
}

CASE(killed)
{
  some();
  raise(atoi(getenv("SIGNAL")));
}

CASE(fork)
{
  global = SHOW(hide(1001));
  if (fork() == 0) {
    other = SHOW(hide(1002));
    hide(1003);
    exit(0);
  }
  wait(NULL);
}

/* What is no more counted leads to what is. */
CASE(restart)
{
  global = SHOW(hide(1001));
  mprof_restart(NULL);
  *(void **)global = SHOW(hide(1002));
  hide(1003);
}

/* ---- what stands in the way ---- */

/* The C library would leave its own signals out. */
static void *
block_all(void *unused)
{
  const uint64_t all = ~UINT64_C(0);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
  pthread_barrier_wait(&barrier);
  for (;;)
    pause();
  return unused;
}

CASE(unstoppable)
{
  hide(1001);
  start(1, block_all);
}

CASE(filter)
{
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog filter = {1, &allow};
  hide(1001);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Somebody else traces it already. */
CASE(traced)
{
  int traces[2];
  char byte = 't';
  hide(1001);
  pipe(traces);
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
    write(traces[1], &byte, 1);
    for (;;)
      pause();
  }
  read(traces[0], &byte, 1);
}

/* ---- system calls that do not begin again by themselves ---- */

static void
call_poll(void)
{
  poll(NULL, 0, -1);
}

static void
call_epoll_wait(void)
{
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, -1);
}

static void
call_recv(void)
{
  const struct timeval long_time = {.tv_sec = 1000};
  int pair[2];
  char byte;
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time);
  recv(pair[0], &byte, 1, 0);
}

static void
call_sigwaitinfo(void)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigwaitinfo(&set, NULL);
}

static void
call_pause(void)
{
  pause();
}

static void (*const calls[])(void) = {call_poll, call_epoll_wait, call_recv,
                                      call_sigwaitinfo, call_pause};

enum { CALLS = sizeof calls / sizeof *calls };
static int numbers[2];

static void *
call_and_say(void *number)
{
  pid_t thread = gettid();
  write(numbers[1], &thread, sizeof thread);
  calls[(uintptr_t)number]();
  fprintf(stderr, "call %d ended: %m\n", (int)(uintptr_t)number);
  return NULL;
}

/* It is after the monitor has let the threads go on. */
static void __attribute__((destructor))
wait_for_threads(void)
{
  if (numbers[1] != 0)
    usleep(100000);
}

/* Whether THREAD waits. */
static int
is_asleep(pid_t thread)
{
  char text[200];
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", (int)thread);
  int file = open(text, O_RDONLY);
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  return strstr(text, ") S ") != NULL;
}

CASE(calls)
{
  pthread_t thread;
  pipe(numbers);
  hide(1001);
  for (uintptr_t i = 0; i < CALLS; i++)
    pthread_create(&thread, NULL, call_and_say, (void *)i);
  for (int i = 0; i < CALLS; i++) {
    pid_t other;
    read(numbers[0], &other, sizeof other);
    while (!is_asleep(other))
      usleep(1000);
  }
}

/* The kernel has a thread for it; where io_uring is forbidden it has none. */
CASE(io_uring)
{
  struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL,
                                   .sq_thread_idle = 100000};
  hide(1001);
  syscall(SYS_io_uring_setup, 8, &params);
  usleep(1000);
}

/* The frames of the cases are wiped before the end. */
int
main(int argc, char **argv)
{
  int status = run_case(argc, argv);
  wipe();
  return status;
}
