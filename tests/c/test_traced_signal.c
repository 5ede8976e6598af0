/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The threads of another process are stopped, a signal comes, and they go on:
 * it interrupts the system call that one waits in. */

#include "attempting.h"
#include "leak_search/stopped_program.h"

#include <sys/epoll.h>

enum { INTERRUPTED = 5, LONGEST = 100 /* seconds */ };

static int is_ready[2];
static volatile sig_atomic_t handled;

static void
handle(int signal_number)
{
  handled += signal_number == SIGUSR1;
}

/* The other process, in a call that the kernel does not restart by itself. */
static void
wait_in_call(void)
{
  const struct sigaction action = {.sa_handler = handle};
  struct epoll_event event;
  alarm(LONGEST);
  sigaction(SIGUSR1, &action, NULL);
  if (write(is_ready[1], "r", 1) != 1)
    _exit(2);
  const int result = epoll_wait(epoll_create1(0), &event, 1, -1);
  _exit(result < 0 && errno == EINTR && handled == 1 ? INTERRUPTED : 3);
}

static bool
is_asleep(pid_t process)
{
  char text[300];
  snprintf(text, sizeof text, "/proc/%d/stat", (int)process);
  FILE *file = fopen(text, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return strstr(text, ") S ") != NULL;
}

TEST(interrupts_a_call)
{
  struct traced_threads traced;
  char byte;
  int status;
  assert_int_equal(pipe(is_ready), 0);
  const pid_t child = fork();
  if (child == 0)
    wait_in_call();
  assert_int_equal(read(is_ready[0], &byte, 1), 1);
  while (!is_asleep(child))
    usleep(1000);
  traced_threads_stop(&traced, child);
  assert_int_equal(kill(child, SIGUSR1), 0);
  traced_threads_resume(&traced);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), INTERRUPTED);
}

RUN_TESTS_IN_ATTEMPT(NULL, NULL)
