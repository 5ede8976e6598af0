/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "image/arena.h"

static struct arena settings; /* lines that end in zeros, and one more */

/* Where the variable is; NULL: nowhere. */
static char **
find_variable(char **environment, const char *name, size_t n)
{
  for (char **e = environment; e != NULL && *e != NULL; e++)
    if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
      return e;
  return NULL;
}

const char *
environment_find(char *const *environment, const char *name)
{
  const size_t n = strlen(name);
  char **const variable = find_variable((char **)environment, name, n);
  return variable == NULL ? NULL : *variable + n + 1;
}

static bool
is_setting(const char *variable)
{
  return strncmp(variable, "MPROF_", 6) == 0 ||
         strncmp(variable, "LD_PRELOAD=", 11) == 0;
}

/* The program may do with its environment what it likes. */
static bool
copy_settings(void)
{
  struct arena copy = {0};
  size_t bytes = 1;
  for (char **e = environ; *e != NULL; e++)
    if (is_setting(*e))
      bytes += strlen(*e) + 1;
  if (arena_reserve(&copy, bytes) != 0)
    return false;
  char *to = copy.base;
  for (char **e = environ; *e != NULL; e++)
    if (is_setting(*e))
      to = stpcpy(to, *e) + 1;
  settings = copy;
  return true;
}

static bool replaced;

bool
environment_replace(const char *lines)
{
  const size_t n = strlen(lines);
  struct arena copy = {0};
  if (arena_reserve(&copy, n + 1) != 0)
    return false;
  for (size_t i = 0; i < n; i++)
    ((char *)copy.base)[i] = lines[i] == '\n' ? '\0' : lines[i];
  arena_release(&settings);
  settings = copy;
  replaced = true;
  return true;
}

bool
environment_is_trusted(void)
{
  return getauxval(AT_SECURE) == 0;
}

const char *
environment_value(const char *name)
{
  const size_t n = strlen(name);
  if (!replaced && !environment_is_trusted())
    return NULL;
  if (settings.base == NULL && (environ == NULL || !copy_settings()))
    return environment_find(environ, name);
  for (const char *line = settings.base; *line != '\0';
       line += strlen(line) + 1)
    if (strncmp(line, name, n) == 0 && line[n] == '=')
      return line + n + 1;
  return NULL;
}

unsigned long
environment_number(const char *name, unsigned long missing)
{
  const char *text = environment_value(name);
  return text == NULL || *text == '\0' ? missing : strtoul(text, NULL, 10);
}

void
environment_set(char *assignment)
{
  struct arena arena;
  size_t n = 0;
  char **there;
  if (replaced)
    return;
  there = find_variable(environ, assignment,
                        (size_t)(strchr(assignment, '=') - assignment));
  if (there != NULL) {
    *there = assignment;
    return;
  }
  while (environ != NULL && environ[n] != NULL)
    n++;
  if (arena_reserve(&arena, (n + 2) * sizeof *environ) != 0)
    return;
  there = arena.base;
  if (n > 0)
    memcpy(there, environ, n * sizeof *environ);
  there[n] = assignment;
  there[n + 1] = NULL;
  environ = there;
}
