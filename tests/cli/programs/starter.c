/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * starter.c -- starts a program by the function with that name: starter
 * FUNCTION PROGRAM.  It becomes the program, or waits for it and ends as that
 * does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int
await(int child)
{
  int status;
  if (waitpid(child, &status, 0) != child)
    return 91;
  return WEXITSTATUS(status);
}

int
main(int count, char **arguments)
{
  const char *function = arguments[1], *name = arguments[2];
  char *own[] = {arguments[2], NULL};
  pid_t child = -1;
  const int file = open(name, O_RDONLY);
  free(malloc(77));
#define IS(word) (strcmp(function, word) == 0)
  if (IS("execv"))
    execv(name, own);
  else if (IS("execve"))
    execve(name, own, environ);
  else if (IS("execvp"))
    execvp(name, own);
  else if (IS("execvpe"))
    execvpe(name, own, environ);
  else if (IS("execl"))
    execl(name, name, NULL);
  else if (IS("execlp"))
    execlp(name, name, NULL);
  else if (IS("execle"))
    execle(name, name, NULL, environ);
  else if (IS("fexecve"))
    fexecve(file, own, environ);
  else if (IS("execveat"))
    execveat(open(".", O_PATH), name, own, environ, 0);
  else if (IS("posix_spawn"))
    posix_spawn(&child, name, NULL, NULL, own, environ);
  else if (IS("posix_spawnp"))
    posix_spawnp(&child, name, NULL, NULL, own, environ);
  else if (IS("system"))
    return WEXITSTATUS(system(name));
  return child < 0 ? 92 : await(child);
}
