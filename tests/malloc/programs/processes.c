/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * processes.c -- forks and execs.  Each process counts for itself.
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

extern char **environ;
static void *volatile kept[10];
static const char *self;

static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i % 10] = malloc(bytes);
}

static void
await(pid_t child)
{
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    _exit(97);
}

static void
case_leaf(void)
{
  allocate(7, 11);
}

/* The parent has many contexts. */
static void
case_wide_fork(void)
{
  for (size_t i = 0; i < 2000; i++)
    allocate(1, 30 + i);
  const pid_t child = fork();
  if (child == 0) {
    allocate(1, 60);
    exit(0);
  }
  await(child);
}

/* The child frees what is the parent's, which is none of its own. */
static void
case_fork(void)
{
  void *p = malloc(100);
  pid_t child = fork();
  if (child == 0) {
    free(p);
    allocate(3, 20);
    exit(0);
  }
  await(child);
  allocate(2, 30);
}

static void
case_grandchildren(void)
{
  pid_t child;
  allocate(1, 10);
  child = fork();
  if (child == 0) {
    pid_t grandchild;
    allocate(1, 100);
    grandchild = fork();
    if (grandchild == 0) {
      allocate(1, 1000);
      _exit(0);
    }
    await(grandchild);
    allocate(1, 200);
    exit(0);
  }
  await(child);
  allocate(1, 20);
}

/* While other threads allocate. */
static volatile int done;

static void *
busy(void *data)
{
  while (!done)
    free(malloc(33));
  return data;
}

static void
case_busy(void)
{
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  for (int i = 0; i < 40; i++) {
    pid_t child = fork();
    if (child == 0) {
      allocate(5, 17);
      _exit(0);
    }
    await(child);
  }
  done = 1;
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
}

static void
case_vfork(void)
{
  pid_t child;
  allocate(2, 13);
  child = vfork();
  if (child == 0) {
    execl(self, self, "leaf", NULL);
    _exit(96);
  }
  await(child);
  child = vfork();
  if (child == 0)
    _exit(0);
  await(child);
  allocate(1, 15);
}

static void
case_spawn(void)
{
  char *arguments[] = { (char *)self, "leaf", NULL };
  pid_t child;
  if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0)
    _exit(95);
  await(child);
  if (posix_spawnp(&child, self, NULL, NULL, arguments, environ) != 0)
    _exit(95);
  await(child);
  allocate(4, 41);
}

static void
case_system(void)
{
  char command[4200];
  snprintf(command, sizeof command, "exec '%s' leaf", self);
  if (system(command) != 0)
    _exit(94);
  allocate(4, 41);
}

static void
case_popen(void)
{
  char command[4200];
  FILE *f;
  snprintf(command, sizeof command, "exec '%s' leaf", self);
  f = popen(command, "r");
  if (f == NULL || pclose(f) != 0)
    _exit(93);
  allocate(4, 41);
}

/* The first process of a daemon ends inside the C library. */
static void
case_daemon(void)
{
  allocate(4, 41);
  if (daemon(1, 1) != 0)
    _exit(92);
  allocate(1, 43);
}

/* Each form of exec: what was counted before is not lost. */
static void
become(const char *form)
{
  char *arguments[] = { (char *)self, "leaf", NULL };
  allocate(5, 9);
  if (strcmp(form, "execl") == 0)
    execl(self, self, "leaf", NULL);
  else if (strcmp(form, "execlp") == 0)
    execlp(self, self, "leaf", NULL);
  else if (strcmp(form, "execle") == 0)
    execle(self, self, "leaf", NULL, environ);
  else if (strcmp(form, "execv") == 0)
    execv(self, arguments);
  else if (strcmp(form, "execvp") == 0)
    execvp(self, arguments);
  else if (strcmp(form, "execvpe") == 0)
    execvpe(self, arguments, environ);
  else if (strcmp(form, "execve") == 0)
    execve(self, arguments, environ);
  else if (strcmp(form, "execveat") == 0)
    execveat(AT_FDCWD, self, arguments, environ, 0);
  else if (strcmp(form, "fexecve") == 0)
    fexecve(open(self, O_RDONLY), arguments, environ);
  _exit(91);
}

static void
case_failing_exec(void)
{
  char *arguments[] = { "x", NULL };
  allocate(5, 9);
  execv("/nonexistent/program", arguments);
  execlp("nonexistent-program", "x", NULL);
  allocate(5, 10);
}

/* A program that becomes another, and that a third. */
static void
case_chain(void)
{
  allocate(1, 100);
  execl(self, self, "execv", NULL);
}

/* One of them cannot become what it wants to. */
static void
case_failing_chain(void)
{
  allocate(1, 100);
  execl(self, self, "failing-exec", NULL);
}

/* A child of the second program. */
static void
case_forking_chain(void)
{
  allocate(1, 100);
  execl(self, self, "fork", NULL);
}

/* What comes then is without mprof. */
static void
case_unmonitored(void)
{
  char *arguments[] = { (char *)self, "leaf", NULL };
  char *environment[] = { NULL };
  allocate(5, 9);
  execve(self, arguments, environment);
}

/* What comes then allocates nothing. */
static void
case_nothing_follows(void)
{
  allocate(5, 9);
  execl(self, self, "nothing", NULL);
}

static void
case_nothing(void)
{
}

/* Daemons do that. */
static void
case_umask(void)
{
  umask(0);
  allocate(1, 10);
}

/* As programs do that write their title over their environment: it is empty,
 * then gone, and not put back. */
static void
case_moved_environment(void)
{
  char **elsewhere = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pid_t child;
  allocate(2, 30);
  environ = elsewhere;
  child = fork();
  if (child == 0) {
    allocate(3, 20);
    exit(0);
  }
  await(child);
  munmap(elsewhere, 4096);
}

static const struct test_case cases[] = {
  { "leaf", case_leaf },
  { "wide-fork", case_wide_fork },
  { "fork", case_fork },
  { "grandchildren", case_grandchildren },
  { "busy", case_busy },
  { "vfork", case_vfork },
  { "spawn", case_spawn },
  { "system", case_system },
  { "popen", case_popen },
  { "daemon", case_daemon },
  { "failing-exec", case_failing_exec },
  { "chain", case_chain },
  { "failing-chain", case_failing_chain },
  { "forking-chain", case_forking_chain },
  { "unmonitored", case_unmonitored },
  { "nothing-follows", case_nothing_follows },
  { "nothing", case_nothing },
  { "umask", case_umask },
  { "moved-environment", case_moved_environment },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  int status;
  self = argv[0];
  status = run_case(cases, argc, argv);
  if (status != 0 && argc > 1)
    become(argv[1]);
  return status;
}
