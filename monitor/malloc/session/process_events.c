/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.c -- what happens to a process besides allocation: it
 * becomes another program, it ends without its destructors, it unloads code.
 * These are functions of the C library with mprof before or behind them.
 *
 * Other programs may be such that this library must not be preloaded into
 * them.  Code that is unloaded gets its name before its addresses are used
 * again.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "malloc/count/malloc_code.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/interpose/interposed.h"
#include "malloc/interpose/real_allocator.h"
#include "malloc/session/exec_environment.h"
#include "malloc/session/leak_search.h"
#include "malloc/session/process_events.h"

/* ---- another program ---- */

#define BECOME(name, parameters, arguments)                                  \
  int(*function) parameters;                                                 \
  real_function(&function, #name);                                           \
  return function arguments

EXPORT int
execve(const char *path, char *const *arguments, char *const *environment)
{
  ENVIRONMENT_OF(path, environment, true);
  BECOME(execve, (const char *, char *const *, char *const *),
         (path, arguments, environment));
}

EXPORT int
execvpe(const char *file, char *const *arguments, char *const *environment)
{
  char path[PATH_MAX];
  exec_environment_find_program(file, path);
  ENVIRONMENT_OF(path, environment, true);
  BECOME(execvpe, (const char *, char *const *, char *const *),
         (file, arguments, environment));
}

EXPORT int
fexecve(int file, char *const *arguments, char *const *environment)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  ENVIRONMENT_OF(path, environment, true);
  BECOME(fexecve, (int, char *const *, char *const *),
         (file, arguments, environment));
}

EXPORT int
execveat(int folder, const char *name, char *const *arguments,
         char *const *environment, int flags)
{
  char path[PATH_MAX];
  if (name[0] == '/' || folder == AT_FDCWD)
    snprintf(path, sizeof path, "%s", name);
  else
    snprintf(path, sizeof path, "/proc/self/fd/%d%s%s", folder,
             name[0] == '\0' ? "" : "/", name);
  ENVIRONMENT_OF(path, environment, true);
  BECOME(execveat, (int, const char *, char *const *, char *const *, int),
         (folder, name, arguments, environment, flags));
}

EXPORT int
execv(const char *path, char *const *arguments)
{
  return execve(path, arguments, environ);
}

EXPORT int
execvp(const char *file, char *const *arguments)
{
  return execvpe(file, arguments, environ);
}

/* The others take their arguments one by one, and execle the environment
 * behind them; they are called in their form with a vector. */
#define BECOME_LISTED(name, call)                                            \
  EXPORT int name(const char *program, const char *first, ...)               \
  {                                                                          \
    va_list list;                                                            \
    size_t n = 1;                                                            \
    int status;                                                              \
    va_start(list, first);                                                   \
    while (va_arg(list, char *) != NULL)                                     \
      n++;                                                                   \
    va_end(list);                                                            \
    char *arguments[n + 1];                                                  \
    arguments[0] = (char *)(uintptr_t)first;                                 \
    va_start(list, first);                                                   \
    for (size_t i = 1; i <= n; i++)                                          \
      arguments[i] = va_arg(list, char *);                                   \
    status = call;                                                           \
    va_end(list);                                                            \
    return status;                                                           \
  }

BECOME_LISTED(execl, execv(program, arguments))
BECOME_LISTED(execlp, execvp(program, arguments))
BECOME_LISTED(execle, execve(program, arguments, va_arg(list, char *const *)))

/* Another process is that program, and this one goes on. */
#define SPAWN(name)                                                          \
  int (*function)(pid_t *, const char *, const posix_spawn_file_actions_t *, \
                  const posix_spawnattr_t *, char *const *, char *const *);  \
  ENVIRONMENT_OF(path, environment, false);                                  \
  real_function(&function, #name);                                           \
  return function(process, program, actions, attributes, arguments,          \
                  environment)

EXPORT int
posix_spawn(pid_t *process, const char *program,
            const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attributes, char *const *arguments,
            char *const *environment)
{
  const char *const path = program;
  SPAWN(posix_spawn);
}

EXPORT int
posix_spawnp(pid_t *process, const char *program,
             const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const *arguments,
             char *const *environment)
{
  char path[PATH_MAX];
  exec_environment_find_program(program, path);
  SPAWN(posix_spawnp);
}

/* ---- the end ---- */

static void (*real_exit)(int); /* NULL: not sought yet */

/* Before a fork, whose child would have to do it itself. */
static void __attribute__((constructor)) find_exit(void)
{
  malloc_monitor_inside++;
  real_function(&real_exit, "_exit");
  malloc_monitor_inside--;
}

EXPORT void
_exit(int status)
{
  leak_search_run();
  if (real_exit == NULL)
    find_exit();
  if (real_exit != NULL)
    real_exit(status);
  syscall(SYS_exit_group, status); /* nothing is found in a static program */
  __builtin_unreachable();
}

EXPORT void
_Exit(int status)
{
  _exit(status);
}

/* ---- code that goes away ---- */

static int (*real_dlclose)(void *);

EXPORT int
dlclose(void *handle)
{
  malloc_monitor_inside++;
  if (real_dlclose == NULL)
    real_function(&real_dlclose, "dlclose");
  if (real_allocator_bypassed()) {
    malloc_monitor_inside--;
    return real_dlclose(handle);
  }
  malloc_code_check();
  malloc_monitor_inside--;
  int status = real_dlclose(handle); /* its destructors are the program's */
  malloc_monitor_inside++;
  malloc_code_check();
  malloc_monitor_inside--;
  return status;
}

/* ---- for who attaches ---- */

OWN(dlclose);

static void *behind;

static const struct interposed_function functions[] = {
    {"dlclose", &behind, own_dlclose}, {.real = NULL}};

const struct interposed_function *
process_event_functions(void)
{
  real_function(&behind, functions[0].name);
  return functions;
}
