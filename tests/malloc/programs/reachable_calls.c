/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reachable_calls.c -- threads that wait in the kernel while the process
 * ends, and say so when their calls end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "hidden.h"

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
call_select(void)
{
  select(0, NULL, NULL, NULL, NULL);
}

static void
call_nanosleep(void)
{
  const struct timespec long_time = {.tv_sec = 1000};
  nanosleep(&long_time, NULL);
}

static void
call_sem_timedwait(void)
{
  struct timespec late;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 1000;
  sem_timedwait(&semaphore, &late);
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

static void (*const calls[])(void) = {
    call_poll,          call_epoll_wait, call_select,      call_nanosleep,
    call_sem_timedwait, call_recv,       call_sigwaitinfo, call_pause};

enum { CALLS = sizeof calls / sizeof *calls };

static int numbers[2];

static void *
run(void *number)
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

static ALONE void
case_calls(void)
{
  pthread_t thread;
  pipe(numbers);
  hide(1001);
  for (uintptr_t i = 0; i < CALLS; i++)
    pthread_create(&thread, NULL, run, (void *)i);
  for (int i = 0; i < CALLS; i++) {
    pid_t other;
    read(numbers[0], &other, sizeof other);
    while (!is_asleep(other))
      usleep(1000);
  }
}

/* ---- threads of the kernel ---- */

/* The kernel has a thread for it; where io_uring is forbidden it has none. */
static ALONE void
case_io_uring(void)
{
  struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL,
                                   .sq_thread_idle = 100000};
  hide(1001);
  syscall(SYS_io_uring_setup, 8, &params);
  usleep(1000);
}

#define CASE(name) {#name, case_##name}

static const struct test_case cases[] = {
    CASE(calls), CASE(io_uring), {NULL, NULL}};

int
main(int argc, char **argv)
{
  int status = run_case(cases, argc, argv);
  wipe();
  return status;
}
