/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * environment.c -- see environment.h.
 */
#include "malloc/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree/arena.h"

/* Where the variable is that `name' and an equals sign, `n' characters
 * without that, begin; NULL: nowhere. */
static char **
find_variable(const char *name, size_t n)
{
  for (char **e = environ; e != NULL && *e != NULL; e++)
    if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
      return e;
  return NULL;
}

static struct arena replaced; /* lines that end in zeros, and one more */

bool
environment_replace(const char *settings)
{
  const size_t n = strlen(settings);
  struct arena copy = {0};
  if (arena_reserve(&copy, n + 1) != 0)
    return false;
  for (size_t i = 0; i < n; i++)
    ((char *)copy.base)[i] = settings[i] == '\n' ? '\0' : settings[i];
  arena_release(&replaced);
  replaced = copy;
  return true;
}

static const char *
find_setting(const char *name, size_t n)
{
  const char *line = replaced.base;
  for (; *line != '\0'; line += strlen(line) + 1)
    if (strncmp(line, name, n) == 0 && line[n] == '=')
      return line + n + 1;
  return NULL;
}

const char *
environment_value(const char *name)
{
  const size_t n = strlen(name);
  char **variable;
  if (replaced.base != NULL)
    return find_setting(name, n);
  variable = find_variable(name, n);
  return variable == NULL ? NULL : *variable + n + 1;
}

unsigned long
environment_number(const char *name, unsigned long otherwise)
{
  const char *text = environment_value(name);
  return text == NULL || *text == '\0' ? otherwise : strtoul(text, NULL, 10);
}

void
environment_set(char *assignment)
{
  struct arena arena;
  size_t n = 0;
  char **there;
  if (replaced.base != NULL)
    return;
  there = find_variable(assignment,
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
