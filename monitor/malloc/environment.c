/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * environment.c -- see environment.h.
 */
#include "malloc/environment.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"

char *
environment_value(const char *name)
{
  const size_t n = strlen(name);
  for (char **e = environ; e != NULL && *e != NULL; e++)
    if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
      return *e + n + 1;
  return NULL;
}

void
environment_add(char *assignment)
{
  struct arena arena;
  size_t n = 0;
  char **grown;
  while (environ != NULL && environ[n] != NULL)
    n++;
  if (arena_reserve(&arena, (n + 2) * sizeof *grown) != 0)
    return;
  grown = arena.base;
  if (n > 0)
    memcpy(grown, environ, n * sizeof *grown);
  grown[n] = assignment;
  grown[n + 1] = NULL;
  environ = grown;
}
