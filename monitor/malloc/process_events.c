/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.c -- functions of the C library with mprof before or behind
 * them.
 *
 * A profile is written before exec, since nothing is left of the process if
 * it succeeds, and before the functions that end it without its destructors.
 */
#include "malloc/process_events.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/code_objects.h"
#include "malloc/end_signals.h"
#include "malloc/malloc_monitor.h"
#include "malloc/malloc_session.h"
#include "malloc/objects.h"

#define EXPORT __attribute__((visibility("default")))

/* `function', a variable, becomes the function `name' that is behind this
 * one. */
#define SEEK(function, name)                                                 \
  do {                                                                       \
    void *found = dlsym(RTLD_NEXT, name);                                    \
    memcpy(&(function), &found, sizeof found);                               \
  } while (0)

/* ---- forks ---- */

static void (*real_exit)(int); /* NULL: not sought yet */

/* Nobody else is in the monitor while the process is copied.  What each child
 * would have to find out, it is given. */
static void
before_fork(void)
{
  malloc_monitor_inside++;
  if (real_exit == NULL)
    SEEK(real_exit, "_exit");
  spin_lock(&malloc_monitor.lock);
  stripes_lock();
  objects_before_fork();
}

static void
after_fork_in_parent(void)
{
  objects_after_fork();
  stripes_unlock();
  spin_unlock(&malloc_monitor.lock);
  malloc_monitor_inside--;
}

static void
after_fork_in_child(void)
{
  objects_after_fork();
  code_objects_forked();
  malloc_session_forked();
  malloc_monitor_inside--;
}

/* ---- another program ---- */

EXPORT int
execve(const char *path, char *const *arguments, char *const *environment)
{
  int (*function)(const char *, char *const *, char *const *);
  malloc_session_save();
  SEEK(function, "execve");
  return function(path, arguments, environment);
}

EXPORT int
execv(const char *path, char *const *arguments)
{
  int (*function)(const char *, char *const *);
  malloc_session_save();
  SEEK(function, "execv");
  return function(path, arguments);
}

EXPORT int
execvp(const char *file, char *const *arguments)
{
  int (*function)(const char *, char *const *);
  malloc_session_save();
  SEEK(function, "execvp");
  return function(file, arguments);
}

EXPORT int
execvpe(const char *file, char *const *arguments, char *const *environment)
{
  int (*function)(const char *, char *const *, char *const *);
  malloc_session_save();
  SEEK(function, "execvpe");
  return function(file, arguments, environment);
}

EXPORT int
fexecve(int file, char *const *arguments, char *const *environment)
{
  int (*function)(int, char *const *, char *const *);
  malloc_session_save();
  SEEK(function, "fexecve");
  return function(file, arguments, environment);
}

EXPORT int
execveat(int folder, const char *path, char *const *arguments,
         char *const *environment, int flags)
{
  int (*function)(int, const char *, char *const *, char *const *, int);
  malloc_session_save();
  SEEK(function, "execveat");
  return function(folder, path, arguments, environment, flags);
}

/* The others take their arguments one by one; they are called in their form
 * with a vector. */
static size_t
count_arguments(va_list list)
{
  size_t n = 1;
  while (va_arg(list, char *) != NULL)
    n++;
  return n;
}

#define GATHER(first, vector)                                                \
  va_list list;                                                              \
  size_t n;                                                                  \
  va_start(list, first);                                                     \
  n = count_arguments(list);                                                 \
  va_end(list);                                                              \
  char *vector[n + 1];                                                       \
  vector[0] = (char *)(uintptr_t)(first);                                    \
  va_start(list, first);                                                     \
  for (size_t i = 1; i <= n; i++)                                            \
  (vector)[i] = va_arg(list, char *)

EXPORT int
execl(const char *path, const char *first, ...)
{
  GATHER(first, vector);
  va_end(list);
  return execv(path, vector);
}

EXPORT int
execlp(const char *file, const char *first, ...)
{
  GATHER(first, vector);
  va_end(list);
  return execvp(file, vector);
}

EXPORT int
execle(const char *path, const char *first, ...)
{
  char *const *environment;
  GATHER(first, vector);
  environment = va_arg(list, char *const *);
  va_end(list);
  return execve(path, vector, environment);
}

/* ---- the end ---- */

EXPORT void
_exit(int status)
{
  malloc_session_save();
  if (real_exit == NULL)
    SEEK(real_exit, "_exit");
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

/* The process ends there, and its child goes on. */
EXPORT int
daemon(int stay, int open)
{
  int (*function)(int, int);
  malloc_session_save();
  SEEK(function, "daemon");
  return function(stay, open);
}

/* ---- code that goes away ---- */

static void
retire(const struct code_object *gone)
{
  struct malloc_monitor *m = &malloc_monitor;
  struct code_object *o;
  spin_lock(&m->lock);
  stripes_lock();
  o = code_objects_retire(gone, &m->functions);
  if (o != NULL && m->ready) {
    context_tree_rename_sites(&m->tree, code_object_retired_site, o);
    stripes_unload();
  }
  stripes_unlock();
  spin_unlock(&m->lock);
}

EXPORT int
dlclose(void *handle)
{
  static int (*function)(void *);
  struct code_objects before = {0}, now = {0};
  int status;
  malloc_monitor_inside++;
  if (function == NULL)
    SEEK(function, "dlclose");
  code_objects_list(&before, false);
  malloc_monitor_inside--;
  status = function(handle); /* its destructors are the program's */
  malloc_monitor_inside++;
  if (code_objects_list(&now, false))
    code_objects_compare(&before, &now, retire);
  code_objects_release(&now);
  code_objects_release(&before);
  malloc_monitor_inside--;
  return status;
}

/* Functions that quick_exit calls may allocate; this one is the last. */
static void
save_at_quick_exit(void)
{
  malloc_session_save();
}

void
process_events_open(void)
{
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  at_quick_exit(save_at_quick_exit);
  end_signals_open();
}
