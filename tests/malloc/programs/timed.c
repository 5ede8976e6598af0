/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timed.c -- allocates in one function for 150 ms, and then in another; so
 * does its child.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 1000, OBJECTS = 100, NANOSECONDS = 150000 };

static void *volatile last;

/* Takes its time, whatever else runs. */
static void
wait_a_little(void)
{
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec -
             begin.tv_nsec <
         NANOSECONDS);
}

__attribute__((noinline)) static void
early(void)
{
  for (int i = 0; i < OBJECTS; i++)
    last = malloc(24);
  wait_a_little();
}

__attribute__((noinline)) static void
late(void)
{
  for (int i = 0; i < OBJECTS; i++) {
    free(last);
    last = malloc(3000 + (size_t)i);
  }
  wait_a_little();
}

int
main(void)
{
  const pid_t child = fork();
  for (int i = 0; i < TURNS; i++)
    early();
  for (int i = 0; i < TURNS; i++)
    late();
  if (child == 0)
    return 0;
  waitpid(child, NULL, 0);
  return 7;
}
