/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cases.h -- a program that consists of cases: CASE(name) { ... } is one of
 * them.  The command line says which one runs, or all of them.  And what most
 * of these programs need.
 */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[100000];

/* Keeps N objects more of that size, in the places of the first ones. */
static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

/* Waits for the child, which ends well. */
static void
await(pid_t child)
{
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    _exit(97);
}

/* ---- cases ---- */

struct test_case {
  const char *name;
  void (*run)(void);
  int line;
  struct test_case *next;
};

static struct test_case *test_cases; /* in the order of their lines */

static inline void
add_case(struct test_case *added)
{
  struct test_case **at = &test_cases;
  while (*at != NULL && (*at)->line < added->line)
    at = &(*at)->next;
  added->next = *at;
  *at = added;
}

#define CASE(name)                                                           \
  static void case_##name(void);                                             \
  static void __attribute__((constructor)) add_case_##name(void)             \
  {                                                                          \
    static struct test_case this_case = {#name, case_##name, __LINE__,       \
                                         NULL};                              \
    add_case(&this_case);                                                    \
  }                                                                          \
  static __attribute__((noinline)) void case_##name(void)

/* Runs the case that the command line names; returns the exit status: 98 when
 * there is none.  Inlined, so that a case is called by main. */
static inline __attribute__((always_inline)) int
run_case(int argc, char **argv)
{
  const int all = argc > 1 && strcmp(argv[1], "all") == 0;
  int status = 98;
  for (struct test_case *c = test_cases; argc > 1 && c != NULL; c = c->next)
    if (all || strcmp(c->name, argv[1]) == 0) {
      c->run();
      status = 0;
    }
  return status;
}

/* The main function of a program that does nothing else. */
#define RUN_CASES                                                            \
  int main(int argc, char **argv)                                            \
  {                                                                          \
    return run_case(argc, argv);                                             \
  }
