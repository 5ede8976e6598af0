/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exec_environment.c -- see exec_environment.h.
 */
#include "malloc/session/exec_environment.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/program_start.h"
#include "malloc/environment.h"
#include "malloc/session/malloc_session.h"

#define PRELOAD "LD_PRELOAD"
#define LIBRARY "libmprof-malloc"

/* What is preloaded, with this library. */
static const char *
preloaded(char *const *environment)
{
  const char *value = environment_find(environment, PRELOAD);
  return value == NULL || strstr(value, LIBRARY) == NULL ? NULL : value;
}

size_t
exec_environment_words(const char *path, char *const *environment, bool here)
{
  const char *const preload = preloaded(environment);
  const char *const why =
      preload == NULL || path == NULL ? NULL : program_starts_alone(path);
  size_t count = 0;
  if (why == NULL)
    return 0;
  if (here)
    malloc_session_exec_unmonitored(why);
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

char *const *
exec_environment_make(char *const *environment, char **words, size_t count)
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

void
exec_environment_find_program(const char *name, char *path)
{
  if (!program_find(name, environment_find(environ, "PATH"), path))
    path[0] = '\0';
}
