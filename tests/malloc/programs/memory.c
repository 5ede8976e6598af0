/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * memory.c -- programs for which the monitor finds no memory (failing.c), and
 * that do all for which it needs some.
 */
#include "cases.h"
#include "mprof_malloc.h"

extern void fail_all(int on) __attribute__((weak));

enum { MANY = 200000, BYTES = 24, LARGE = 9000 };

static unsigned char *objects[MANY];

static void
fail(int on)
{
  if (fail_all)
    fail_all(on);
}

static void __attribute__((noreturn))
wrong(const char *what, int i)
{
  printf("%s is wrong: %d\n", what, i);
  fflush(stdout);
  _exit(1);
}

static void
check(const char *what, int i, size_t n)
{
  for (size_t at = 0; at < n; at++)
    if (objects[i][at] != (unsigned char)(i + at))
      wrong(what, i);
}

static void
fill(int i, size_t n)
{
  if ((size_t)objects[i] % 16 != 0 || malloc_usable_size(objects[i]) < n)
    wrong("the place", i);
  for (size_t at = 0; at < n; at++)
    objects[i][at] = (unsigned char)(i + at);
}

/* Objects of malloc, calloc and realloc, and so many large ones that the first
 * table has no room for them. */
static void
use_objects(void)
{
  errno = 0;
  for (int i = 0; i < MANY; i++) {
    objects[i] = i % 100 == 1 ? malloc(LARGE)
                 : i % 2 != 0 ? malloc(BYTES) : calloc(1, BYTES);
    for (int at = 0; i % 2 == 0 && at < BYTES; at++)
      if (objects[i][at] != 0)
        wrong("calloc", i);
    fill(i, BYTES);
  }
  for (int i = 0; i < MANY; i++) {
    check("malloc", i, BYTES);
    if (i % 3 == 0) {
      objects[i] = realloc(objects[i], 2 * BYTES);
      check("realloc", i, BYTES);
      fill(i, 2 * BYTES);
    }
  }
  for (int i = 0; i < MANY; i++)
    if (i % 5 == 0 && realloc(objects[i], (size_t)-1 / 2) != NULL)
      wrong("a large one", i);
  for (int i = 0; i < MANY; i++) {
    check("what is kept", i, i % 3 == 0 ? 2 * BYTES : BYTES);
    errno = 0;
    free(objects[i]);
    if (errno != 0)
      wrong("errno", errno);
  }
}

CASE(objects)
{
  free(malloc(10));
  fail(1);
  use_objects();
  fail(0);
}

/* The monitor has nothing to begin with. */
CASE(nothing)
{
  fail(1);
  use_objects();
}

/* Figures are forgotten where no pages can be given back. */
CASE(forget)
{
  free(malloc(100));
  fail(1);
  mprof_restart(NULL);
  fail(0);
  free(malloc(50));
}

/* ---- all for which the monitor needs memory ---- */

static void
use_sizes(void)
{
  for (size_t n = 1; n < 2040; n++)
    free(malloc(n));
}

static void __attribute__((noinline))
recurse(int depth)
{
  char *volatile p = malloc(10);
  if (depth > 0)
    recurse(depth - 1);
  free(p);
}

static void *
run(void *unused)
{
  free(malloc(30));
  return unused;
}

static void
use_threads(void)
{
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
      wrong("a thread", i);
    pthread_join(thread, NULL);
  }
}

static void
use_child(void)
{
  int status;
  const pid_t child = fork();
  if (child == 0) {
    use_sizes();
    exit(7);
  }
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
    wrong("a child", status);
}

static void
use_library(void)
{
  for (int i = 0; i < 2; i++) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (library == NULL || dlclose(library) != 0)
      wrong("a library", i);
  }
}

CASE(every)
{
  use_library();
  mprof_region_begin("part");
  use_sizes();
  for (int i = 0; i < 2000; i++) {
    void *p = NULL;
    if (posix_memalign(&p, 64, 40) != 0)
      wrong("an aligned one", i);
    objects[i] = p;
    fill(i, 40);
  }
  for (int i = 0; i < 2000; i++) {
    check("an aligned one", i, 40);
    free(objects[i]);
  }
  mprof_region_end();
  recurse(2000);
  use_threads();
  use_child();
  for (int i = 0; i < 30000; i++)
    fill((objects[i] = malloc(BYTES), i), BYTES);
  for (int i = 0; i < 30000; i++) {
    check("malloc", i, BYTES);
    free(objects[i]);
  }
  puts("done");
}

RUN_CASES
