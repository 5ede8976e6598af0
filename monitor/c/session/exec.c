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

/* Returns what is preloaded if this library is; else NULL. */
static const char *
preloaded(char *const *environment)
{
  const char *value = environment_find(environment, PRELOAD);
  return value == NULL || strstr(value, LIBRARY) == NULL ? NULL : value;
}

/* Returns how many words the environment of the program in the file `path'
 * takes; 0: it is started with `environment' as it is.  Where it is this
 * process that becomes the program (`here'), a line may say why. */
static size_t
count_words(const char *path, char *const *environment, bool here)
{
  const int saved = errno;
  const char *const preload = preloaded(environment);
  const char *const why =
      preload == NULL || path == NULL ? NULL : program_starts_alone(path);
  size_t count = 0;
  errno = saved;
  if (why == NULL)
    return 0;
  if (here && session_is_ours() && process_image.first)
    process_image_say("nothing more goes to", why);
  while (environment[count] != NULL)
    count++;
  return count + 1 +
         (sizeof PRELOAD + strlen(preload)) / sizeof environment[0] + 1;
}

/* Copy `list', names with colons or blanks between them, but for this
 * library, to `to'.  False: nothing is left. */
static bool
copy_others(char *to, const char *list)
{
  bool any = false;
  while (*list != '\0') {
    const size_t n = strcspn(list, ": ");
    if (n > 0 && memmem(list, n, LIBRARY, strlen(LIBRARY)) == NULL) {
      if (any)
        *to++ = ':';
      to = mempcpy(to, list, n);
      any = true;
    }
    list += n + (list[n] != '\0');
  }
  *to = '\0';
  return any;
}

/* Returns the environment without this library, in COUNT words at `words'; if
 * COUNT is 0, as it is. */
static char *const *
make_environment(char *const *environment, char **words, size_t count)
{
  const char *const preload = count == 0 ? NULL : preloaded(environment);
  char *const *e = environment;
  size_t n = 0;
  if (preload == NULL)
    return environment;
  for (; *e != NULL; e++)
    if (strncmp(*e, PRELOAD "=", sizeof PRELOAD) != 0)
      words[n++] = *e;
  char *text = (char *)&words[e - environment + 1];
  if (copy_others(stpcpy(text, PRELOAD "="), preload))
    words[n++] = text;
  words[n] = NULL;
  return words;
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

/* What is to be passed to exec, in the place of `environment'. */
#define ENVIRONMENT_OF(path, environment, here)                              \
  const size_t word_count = count_words(path, environment, here);            \
  char *words[word_count + 1];                                               \
  environment = make_environment(environment, words, word_count)

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
