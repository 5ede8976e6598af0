/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * processes.c -- forks and execs.  Each process counts for itself.
 */
#include <spawn.h>
#include <sys/stat.h>

#include "cases.h"

extern char **environ;
static const char *self;

CASE(leaf)
{
  allocate(7, 11);
}

/* The parent has many contexts. */
CASE(wide_fork)
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
CASE(fork)
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

/* Somebody has put a link under the name that the file of the child gets. */
CASE(link)
{
  const pid_t child = fork();
  if (child == 0) {
    char name[100];
    snprintf(name, sizeof name, "processes.data.%d", (int)getpid());
    if (symlink("victim", name) != 0)
      _exit(1);
    allocate(3, 20);
    exit(0);
  }
  await(child);
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

CASE(busy)
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

CASE(vfork)
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

CASE(spawn)
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

/* The command that becomes a leaf. */
static const char *
command(void)
{
  static char text[4200];
  snprintf(text, sizeof text, "exec '%s' leaf", self);
  return text;
}

CASE(system)
{
  if (system(command()) != 0)
    _exit(94);
  allocate(4, 41);
}

CASE(popen)
{
  FILE *const f = popen(command(), "r");
  if (f == NULL || pclose(f) != 0)
    _exit(93);
  allocate(4, 41);
}

/* The first process of a daemon ends inside the C library. */
CASE(daemon)
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

CASE(failing_exec)
{
  char *arguments[] = { "x", NULL };
  allocate(5, 9);
  execv("/nonexistent/program", arguments);
  execlp("nonexistent-program", "x", NULL);
  allocate(5, 10);
}

/* A program that becomes another, and that a third. */
CASE(chain)
{
  allocate(1, 100);
  execl(self, self, "execv", NULL);
}

/* One of them cannot become what it wants to. */
CASE(failing_chain)
{
  allocate(1, 100);
  execl(self, self, "failing_exec", NULL);
}

/* A child of the second program. */
CASE(forking_chain)
{
  allocate(1, 100);
  execl(self, self, "fork", NULL);
}

/* What comes then is without mprof. */
CASE(unmonitored)
{
  char *arguments[] = { (char *)self, "leaf", NULL };
  char *environment[] = { NULL };
  allocate(5, 9);
  execve(self, arguments, environment);
}

/* What comes then allocates nothing. */
CASE(nothing_follows)
{
  allocate(5, 9);
  execl(self, self, "nothing", NULL);
}

CASE(nothing)
{
}

/* Daemons do that. */
CASE(umask)
{
  umask(0);
  allocate(1, 10);
}

/* As programs do that write their title over their environment: it is empty,
 * then gone, and not put back. */
CASE(moved_environment)
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

int
main(int argc, char **argv)
{
  int status;
  self = argv[0];
  status = run_case(argc, argv);
  if (status != 0 && argc > 1)
    become(argv[1]);
  return status;
}
