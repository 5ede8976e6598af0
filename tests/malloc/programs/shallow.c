/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * shallow.c -- the first allocation of a program, a thread or a child process,
 * and other calls, on a stack of 8 KB with an inaccessible page below: that of
 * a handler of a signal, or a coroutine's of 4 KB.  Each case has 5 objects of
 * 10 bytes.
 */
#include <spawn.h>
#include <ucontext.h>

#include "cases.h"

enum { PAGE = 4096 };

extern char **environ;
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

/* A case of which all is done in a handler. */
#define CASE_IN_HANDLER(name)                                                \
  static void do_##name(void);                                               \
  CASE(name)                                                                 \
  {                                                                          \
    in_handler(do_##name);                                                   \
  }                                                                          \
  static void do_##name(void)

static void
allocate_all(void)
{
  allocate(5, 10);
}

CASE_IN_HANDLER(signal)
{
  allocate_all();
}

CASE_IN_HANDLER(functions)
{
  void *p;
  kept[0] = calloc(2, 5);
  kept[1] = realloc(NULL, 10);
  if (posix_memalign(&p, 64, 10) == 0)
    kept[2] = p;
  kept[3] = aligned_alloc(64, 10);
  kept[4] = memalign(64, 10);
}

/* The tables of the monitor grow. */
CASE_IN_HANDLER(more)
{
  allocate_all();
  for (size_t bytes = 11; bytes < 3000; bytes++)
    free(malloc(bytes));
}

static void *
in_thread(void *data)
{
  in_handler(allocate_all);
  return data;
}

CASE(thread)
{
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
}

/* The child has allocated something before it was one. */
CASE(child)
{
  int status = 1;
  free(malloc(10));
  if (fork() == 0) {
    in_handler(allocate_all);
    _exit(0);
  }
  wait(&status);
  for (int i = 1; i < 5; i++)
    kept[i] = malloc(10);
  if (status != 0)
    _exit(99);
}

/* What is met first is another file of code. */
CASE_IN_HANDLER(file)
{
  for (int i = 0; i < 5; i++)
    kept[i] = strdup("123456789");
}

CASE_IN_HANDLER(exec)
{
  char *const arguments[] = {"nonesuch", NULL};
  pid_t process;
  allocate_all();
  execv("/nonesuch/program", arguments);
  execvp("nonesuch", arguments);
  execveat(AT_FDCWD, "nonesuch", arguments, environ, 0);
  posix_spawnp(&process, "nonesuch", NULL, NULL, arguments, environ);
}

/* A sanitizer's runtime is looked for in what is executed. */
CASE_IN_HANDLER(exec_true)
{
  allocate_all();
  execlp("true", "true", (char *)NULL);
}

CASE_IN_HANDLER(end)
{
  allocate_all();
  _exit(0);
}

static ucontext_t home, coroutine;

CASE(coroutine)
{
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = make_stack(PAGE);
  coroutine.uc_stack.ss_size = PAGE;
  coroutine.uc_link = &home;
  makecontext(&coroutine, allocate_all, 0);
  swapcontext(&home, &coroutine);
}

RUN_CASES
