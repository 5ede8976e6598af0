/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * shallow.c -- the first allocation of a program, a thread or a child process,
 * and other calls, on a stack of 8 KB with an inaccessible page below: that of
 * a handler of a signal, or a coroutine's of 4 KB.  Each case has 5 objects of
 * 10 bytes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"

enum { PAGE = 4096 };

extern char **environ;
static void *volatile kept[5];
static void (*action)(void);

/* BYTES behind a page that nobody can use. */
static void *
make_stack(size_t bytes)
{
  char *const all = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all, PAGE, PROT_NONE);
  return all + PAGE;
}

static void
handle(int number)
{
  action();
}

static void
in_handler(void (*act)(void))
{
  const stack_t stack = {.ss_sp = make_stack(2 * PAGE),
                         .ss_size = 2 * PAGE};
  const struct sigaction there = {.sa_handler = handle,
                                  .sa_flags = SA_ONSTACK};
  action = act;
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &there, NULL);
  raise(SIGUSR1);
}

static void
allocate(void)
{
  for (int i = 0; i < 5; i++)
    kept[i] = malloc(10);
}

static void
case_signal(void)
{
  in_handler(allocate);
}

static void
by_other_functions(void)
{
  void *p;
  kept[0] = calloc(2, 5);
  kept[1] = realloc(NULL, 10);
  if (posix_memalign(&p, 64, 10) == 0)
    kept[2] = p;
  kept[3] = aligned_alloc(64, 10);
  kept[4] = memalign(64, 10);
}

static void
case_functions(void)
{
  in_handler(by_other_functions);
}

/* The tables of the monitor grow. */
static void
allocate_more(void)
{
  allocate();
  for (size_t bytes = 11; bytes < 3000; bytes++)
    free(malloc(bytes));
}

static void
case_more(void)
{
  in_handler(allocate_more);
}

static void *
in_thread(void *data)
{
  in_handler(allocate);
  return data;
}

static void
case_thread(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
}

/* The child has allocated something before it was one. */
static void
case_child(void)
{
  int status = 1;
  free(malloc(10));
  if (fork() == 0) {
    in_handler(allocate);
    _exit(0);
  }
  wait(&status);
  for (int i = 1; i < 5; i++)
    kept[i] = malloc(10);
  if (status != 0)
    _exit(99);
}

/* What is met first is another file of code. */
static void
allocate_there(void)
{
  for (int i = 0; i < 5; i++)
    kept[i] = strdup("123456789");
}

static void
case_file(void)
{
  free(malloc(11));
  in_handler(allocate_there);
}

static void
exec_nothing(void)
{
  char *const arguments[] = {"nonesuch", NULL};
  pid_t process;
  allocate();
  execv("/nonesuch/program", arguments);
  execvp("nonesuch", arguments);
  execveat(AT_FDCWD, "nonesuch", arguments, environ, 0);
  posix_spawnp(&process, "nonesuch", NULL, NULL, arguments, environ);
}

static void
case_exec(void)
{
  in_handler(exec_nothing);
}

/* A sanitizer's runtime is looked for in what is executed. */
static void
exec_true(void)
{
  allocate();
  execlp("true", "true", (char *)NULL);
}

static void
case_exec_true(void)
{
  in_handler(exec_true);
}

static void
end_here(void)
{
  allocate();
  _exit(0);
}

static void
case_end(void)
{
  in_handler(end_here);
}

static ucontext_t home, coroutine;

static void
case_coroutine(void)
{
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = make_stack(PAGE);
  coroutine.uc_stack.ss_size = PAGE;
  coroutine.uc_link = &home;
  makecontext(&coroutine, allocate, 0);
  swapcontext(&home, &coroutine);
}

static const struct test_case cases[] = {
    {"signal", case_signal},       {"functions", case_functions},
    {"more", case_more},           {"thread", case_thread},
    {"child", case_child},         {"file", case_file},
    {"exec", case_exec},           {"exec-true", case_exec_true},
    {"end", case_end},             {"coroutine", case_coroutine},
    {NULL, NULL},
};

int
main(int argc, char **argv)
{
  return run_case(cases, argc, argv);
}
