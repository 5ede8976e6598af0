/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exec.c -- a process becomes another program, or starts one.  These are
 * functions of the C library with mprof before them: this library is not
 * preloaded into a program that starts without it (common/program_start.h).
 *
 * Takes no memory but the caller's stack, as it may be between vfork and
 * exec. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/digits.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"
#include "common/program_start.h"

/* ---- the environment of the program ---- */

#define PRELOAD "LD_PRELOAD"
#define LIBRARY "libmprof-malloc"
#define OPEN_FILES "/proc/self/fd/"

enum { DIGITS = 10 }; /* of a descriptor */

/* Returns what is preloaded, if this library is among it and the program in
 * the file `path' starts without it; else NULL.  Where it is this process
 * that becomes the program (`here'), a line may say why. */
static const char *
preload_to_change(const char *path, char *const *environment, bool here)
{
  const int saved = errno;
  const char *const preload = environment_find(environment, PRELOAD);
  const char *why = NULL;
  if (path != NULL && preload != NULL && strstr(preload, LIBRARY) != NULL)
    why = program_starts_alone(path);
  errno = saved;
  if (why != NULL && here && session_is_ours() && process_image.first)
    process_image_say("nothing more goes to", why);
  return why != NULL ? preload : NULL;
}

static size_t
count_variables(char *const *environment)
{
  size_t count = 0;
  while (environment[count] != NULL)
    count++;
  return count;
}

/* Sets WORDS to the environment without this library, and TEXT to what else
 * is in PRELOAD, names with colons or blanks between them. */
static void
remove_library(char *const *environment, const char *preload, char **words,
               char *text)
{
  const size_t begin = sizeof PRELOAD; /* with the = */
  char *end = stpcpy(text, PRELOAD "=");
  for (; *environment != NULL; environment++)
    if (strncmp(*environment, text, begin) != 0)
      *words++ = *environment;
  while (*preload != '\0') {
    const size_t n = strcspn(preload, ": ");
    if (n > 0 && memmem(preload, n, LIBRARY, strlen(LIBRARY)) == NULL)
      end = stpcpy(mempcpy(end, preload, n), ":");
    preload += n + (preload[n] != '\0');
  }
  if (end != text + begin) {
    end[-1] = '\0';
    *words++ = text;
  }
  *words = NULL;
}

/* Returns how many bytes the path that exec finds for NAME has at most. */
static size_t
path_bytes(const char *name)
{
  const char *const folders = environment_find(environ, "PATH");
  const size_t bytes =
      strlen(name) + (folders == NULL ? 0 : strlen(folders)) + 2;
  return bytes < PATH_MAX ? bytes : PATH_MAX;
}

/* Sets PATH to the program that exec finds for NAME, or to "". */
static void
find_program(const char *name, char *path)
{
  if (!program_find(name, environment_find(environ, "PATH"), path))
    path[0] = '\0';
}

/* Sets `environment' to what is to be passed to exec. */
#define ENVIRONMENT_OF(path, environment, here)                              \
  const char *const preload = preload_to_change(path, environment, here);    \
  char *words[preload != NULL ? count_variables(environment) + 1 : 1];       \
  char text[preload != NULL ? sizeof PRELOAD + strlen(preload) + 2 : 1];     \
  if (preload != NULL) {                                                     \
    remove_library(environment, preload, words, text);                       \
    environment = words;                                                     \
  }

/* ---- this process becomes the program ---- */

EXPORT int
execve(const char *path, char *const *arguments, char *const *environment)
{
  ENVIRONMENT_OF(path, environment, true);
  return BEHIND(execve)(path, arguments, environment);
}

EXPORT int
execvpe(const char *file, char *const *arguments, char *const *environment)
{
  char path[path_bytes(file)];
  find_program(file, path);
  ENVIRONMENT_OF(path, environment, true);
  return BEHIND(execvpe)(file, arguments, environment);
}

EXPORT int
execveat(int folder, const char *name, char *const *arguments,
         char *const *environment, int flags)
{
  const size_t length = strnlen(name, PATH_MAX); /* more is an error */
  char path[sizeof OPEN_FILES + DIGITS + 1 + length];
  char *end = path;
  if (name[0] != '/' && folder != AT_FDCWD) {
    end = write_digits(stpcpy(path, OPEN_FILES), (unsigned)folder, 10);
    end = stpcpy(end, name[0] == '\0' ? "" : "/");
  }
  *(char *)mempcpy(end, name, length) = '\0';
  ENVIRONMENT_OF(path, environment, true);
  return BEHIND(execveat)(folder, name, arguments, environment, flags);
}

/* Avoids execveat: the C library knows another way without it. */
EXPORT int
fexecve(int file, char *const *arguments, char *const *environment)
{
  char path[sizeof OPEN_FILES + DIGITS];
  write_digits(stpcpy(path, OPEN_FILES), (unsigned)file, 10);
  ENVIRONMENT_OF(path, environment, true);
  return BEHIND(fexecve)(file, arguments, environment);
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

/* ---- another process is the program ---- */

EXPORT int
posix_spawn(pid_t *process, const char *program,
            const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attributes, char *const *arguments,
            char *const *environment)
{
  ENVIRONMENT_OF(program, environment, false);
  return BEHIND(posix_spawn)(process, program, actions, attributes, arguments,
                             environment);
}

EXPORT int
posix_spawnp(pid_t *process, const char *program,
             const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const *arguments,
             char *const *environment)
{
  char path[path_bytes(program)];
  find_program(program, path);
  ENVIRONMENT_OF(path, environment, false);
  return BEHIND(posix_spawnp)(process, program, actions, attributes,
                              arguments, environment);
}
