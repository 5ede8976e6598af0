/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The threads of another process are stopped, a signal comes, and they go on:
 * it interrupts the system call that one waits in. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attempting.h"
#include "leak_search/stopped_program.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERRUPTED = 5, LONGEST = 100 /* seconds */ };

static int is_ready[2];

/* ---- the other process ------------------------------------------------- */

static volatile sig_atomic_t handled;

static void
handle(int signal_number)
{
  handled += signal_number == SIGUSR1;
}

/* In a call that the kernel does not restart by itself. */
static void *
wait_in_call(void *unused)
{
  const struct sigaction action = {.sa_handler = handle};
  struct epoll_event event;
  char byte = 'r';
  sigaction(SIGUSR1, &action, NULL);
  const int file = epoll_create1(0);
  if (write(is_ready[1], &byte, 1) != 1)
    _exit(2);
  const int result = epoll_wait(file, &event, 1, -1);
  _exit(result < 0 && errno == EINTR && handled == 1 ? INTERRUPTED : 3);
  return unused;
}

static void
be_other_process(void)
{
  pthread_t thread;
  alarm(LONGEST);
  pthread_create(&thread, NULL, wait_in_call, NULL);
  pause();
  _exit(4);
}

/* Whether both threads of PROCESS wait. */
static bool
is_asleep(pid_t process)
{
  char text[300];
  int asleep = 0;
  snprintf(text, sizeof text, "/proc/%d/task", (int)process);
  DIR *threads = opendir(text);
  assert_non_null(threads);
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    snprintf(text, sizeof text, "/proc/%d/task/%s/stat", (int)process,
             entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(text, "r");
    if (file == NULL)
      continue;
    asleep += fgets(text, sizeof text, file) != NULL &&
              strstr(text, ") S ") != NULL;
    fclose(file);
  }
  closedir(threads);
  return asleep == 2;
}

static pid_t
start(void)
{
  char byte;
  assert_int_equal(pipe(is_ready), 0);
  const pid_t child = fork();
  if (child == 0)
    be_other_process();
  assert_int_equal(read(is_ready[0], &byte, 1), 1);
  while (!is_asleep(child))
    usleep(1000);
  return child;
}

static void
interrupts_a_call(void **state)
{
  struct traced_threads traced;
  const pid_t child = start();
  int status;
  (void)state;
  traced_threads_stop(&traced, child);
  for (size_t t = 0; t < traced.count; t++)
    if (traced.threads[t].number != child)
      assert_int_equal(tgkill(child, traced.threads[t].number, SIGUSR1), 0);
  traced_threads_resume(&traced);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), INTERRUPTED);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(interrupts_a_call)};
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
