/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * told.c -- reads lines "WORD COUNT BYTES", does what they say, and answers
 * with the number of the process, or with what is said below.  Nothing of it
 * allocates but what it is told to.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ALONE __attribute__((noinline)) static

extern void mprof_restart(const char *) __attribute__((weak));

enum { MOST = 1 << 16, KEPT = 64 };

static void *volatile objects[MOST];
static int first_object, object_count;

ALONE void
first(int count, size_t bytes)
{
  while (count-- > 0)
    objects[object_count++ % MOST] = malloc(bytes);
}

ALONE void
other(int count, size_t bytes)
{
  while (count-- > 0)
    objects[object_count++ % MOST] = malloc(bytes);
}

/* ---- another thread ---- */

static int works, has_stopped;
static long worked;
static void *volatile by_one, *volatile by_other;

/* On one of many paths. */
ALONE void *
allocate_below(unsigned depth, unsigned long way, size_t bytes)
{
  if (depth == 0)
    return malloc(bytes);
  if ((way >> depth & 1) != 0)
    return by_one = allocate_below(depth - 1, way, bytes);
  return by_other = allocate_below(depth - 1, way, bytes);
}

static void *
work(void *unused)
{
  void *volatile kept[KEPT] = {NULL};
  while (!__atomic_load_n(&works, __ATOMIC_ACQUIRE))
    sched_yield();
  for (; __atomic_load_n(&works, __ATOMIC_ACQUIRE); worked++) {
    free(kept[worked % KEPT]);
    kept[worked % KEPT] = allocate_below(8, (unsigned long)worked / 7, 9);
  }
  __atomic_store_n(&has_stopped, 1, __ATOMIC_RELEASE);
  for (;;) /* its objects stay */
    pause();
  return unused;
}

static void
start_work(void)
{
  static pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  mprof_restart(NULL); /* what that allocates is forgotten */
  __atomic_store_n(&works, 1, __ATOMIC_RELEASE);
}

/* Returns how many objects it has made. */
static long
stop_work(void)
{
  __atomic_store_n(&works, 0, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&has_stopped, __ATOMIC_ACQUIRE))
    sched_yield();
  return worked;
}

/* ---- what it is told ---- */

/* The child allocates, and stays as long as its parent. */
static void
fork_child(int count, size_t bytes)
{
  if (fork() != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  first(count, bytes);
  for (;;)
    pause();
}

/* Returns 0, or errno. */
static int
lose_rights(void)
{
  return chroot("/proc") == 0 && setuid(65534) == 0 ? 0 : errno;
}

/* Becomes this program again.  It answers before that, or what it is told
 * next would be read too early. */
static void
become(char *const *environment)
{
  puts("0");
  fflush(stdout);
  execve("/proc/self/exe", (char *[]){"told", NULL}, environment);
}

static long
obey(const char *word, int count, size_t bytes)
{
  if (strcmp(word, "first") == 0)
    first(count, bytes);
  else if (strcmp(word, "other") == 0)
    other(count, bytes);
  else if (strcmp(word, "free") == 0)
    while (count-- > 0)
      free(objects[first_object++ % MOST]);
  else if (strcmp(word, "forget") == 0)
    mprof_restart(NULL);
  else if (strcmp(word, "work") == 0)
    start_work();
  else if (strcmp(word, "rest") == 0)
    return stop_work();
  else if (strcmp(word, "fork") == 0)
    fork_child(count, bytes);
  else if (strcmp(word, "exec") == 0)
    become(environ);
  else if (strcmp(word, "leave") == 0)
    become((char *[]){NULL});
  else if (strcmp(word, "close") == 0)
    return close_range(3, ~0U, 0);
  else if (strcmp(word, "lock") == 0)
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
  else if (strcmp(word, "unshare") == 0)
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 ? 0 : errno;
  else if (strcmp(word, "rights") == 0)
    return lose_rights();
  else if (strcmp(word, "stop") == 0)
    raise(SIGSTOP);
  return getpid();
}

int
main(void)
{
  static char input[4096], output[4096];
  char word[32];
  setvbuf(stdin, input, _IOFBF, sizeof input);
  setvbuf(stdout, output, _IOFBF, sizeof output);
  int count;
  size_t bytes;
  while (scanf("%31s %d %zu", word, &count, &bytes) == 3) {
    printf("%ld\n", obey(word, count, bytes));
    fflush(stdout);
  }
  return 0;
}
