/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attached.c -- a program that runs when the monitor comes, and when it goes:
 * it waits for files, which are made then.  How it waits is its argument:
 * `idle', it sleeps; `busy', it allocates all the time, in two threads.  With
 * a second one it does not wait for the second file: `exit', `_exit', `exec'.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;
static volatile bool over;

/* Stored before. */
static void (*volatile stored_free)(void *);
static void *(*volatile stored_malloc)(size_t);

static void *
keep_busy(void *unused)
{
  while (!over)
    free(realloc(malloc(3000), 4000));
  return unused;
}

static void
wait_for(const char *file)
{
  const bool busy = strcmp(how, "busy") == 0;
  pthread_t thread;
  over = false;
  if (busy)
    pthread_create(&thread, NULL, keep_busy, NULL);
  while (access(file, F_OK) != 0)
    if (busy)
      free(malloc(3000));
    else
      usleep(1000);
  over = true;
  if (busy)
    pthread_join(thread, NULL);
}

/* An object of before, and one that the next one gets the address of. */
static void
allocate(void *old, int n)
{
  void *volatile p;
  free(realloc(old, 79));
  for (int i = 0; i < n; i++) {
    p = malloc(77);
    if (i % 3 != 0)
      free(p);
  }
  p = malloc(81);
  stored_free(p);
  p = malloc(81);
  free(aligned_alloc(64, 83));
  free(strdup("fourteen bytes"));
}

int
main(int argc, char **argv)
{
  void *old = malloc(500), *older = malloc(700);
  stored_free = free;
  stored_malloc = malloc;
  how = argc > 1 ? argv[1] : "idle";
  for (int i = 0; i < 100; i++)
    free(malloc(77));
  puts("ready");
  fflush(stdout);
  wait_for("attached.now");
  allocate(old, 300);
  puts("done");
  fflush(stdout);
  if (argc > 2 && strcmp(argv[2], "exit") == 0)
    exit(3);
  if (argc > 2 && strcmp(argv[2], "_exit") == 0)
    _exit(3);
  if (argc > 2)
    execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
  wait_for("detached.now");
  allocate(older, 50);
  puts("over");
  return 0;
}
