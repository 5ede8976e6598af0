/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/environment.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "image/arena.h"

static struct {
  struct arena lines; /* NAME=VALUE with a zero behind each; an empty one
                         ends them */
  bool replaced;      /* by those of whoever attached */
} settings;

/* Returns the place of the variable in the environment, or NULL. */
static char **
find_variable(char **environment, const char *name, size_t n)
{
  for (char **e = environment; e != NULL && *e != NULL; e++)
    if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
      return e;
  return NULL;
}

static bool
is_setting(const char *variable)
{
  return strncmp(variable, "MPROF_", 6) == 0 ||
         strncmp(variable, "LD_PRELOAD=", 11) == 0;
}

/* Copies the settings, as the program may do with its environment what it
 * likes.  Returns false without memory. */
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
  settings.lines = copy;
  return true;
}

bool
environment_replace(const char *lines)
{
  const size_t n = strlen(lines);
  struct arena copy = {0};
  if (arena_reserve(&copy, n + 1) != 0)
    return false;
  for (size_t i = 0; i < n; i++)
    ((char *)copy.base)[i] = lines[i] == '\n' ? '\0' : lines[i];
  arena_release(&settings.lines);
  settings.lines = copy;
  settings.replaced = true;
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
  if (!settings.replaced && !environment_is_trusted())
    return NULL;
  if (settings.lines.base == NULL && (environ == NULL || !copy_settings())) {
    char **const variable = find_variable(environ, name, n);
    return variable == NULL ? NULL : *variable + n + 1;
  }
  for (const char *line = settings.lines.base; *line != '\0';
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
  if (settings.replaced)
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

/* ---- which processes count ---- */

static const char *
name_patterns(void)
{
  const char *only = environment_value("MPROF_ONLY");
  return only == NULL || *only == '\0' ? NULL : only;
}

bool
process_selection_by_name(void)
{
  return name_patterns() != NULL;
}

bool
process_selection_excludes_children(void)
{
  const char *children = environment_value("MPROF_CHILDREN");
  return children != NULL && strcmp(children, "no") == 0;
}

/* Returns whether `pattern' is for the program at `path': for its last part,
 * unless the pattern has a slash. */
static bool
matches(const char *pattern, const char *path)
{
  const char *name = strrchr(path, '/');
  if (strchr(pattern, '/') == NULL && name != NULL)
    path = name + 1;
  return fnmatch(pattern, path, 0) == 0;
}

static bool
is_named(const char *list)
{
  char file[PATH_MAX] = "", pattern[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", file, sizeof file - 1);
  file[length < 0 ? 0 : length] = '\0';
  while (*list != '\0') {
    const size_t n = strcspn(list, ",");
    if (n > 0 && n < sizeof pattern) {
      memcpy(pattern, list, n);
      pattern[n] = '\0';
      if (matches(pattern, file) ||
          (program_invocation_name != NULL &&
           matches(pattern, program_invocation_name)))
        return true;
    }
    list += n + (list[n] == ',');
  }
  return false;
}

bool
process_selection_includes_this(void)
{
  const char *only = name_patterns();
  const unsigned long mine = (unsigned long)getpid();
  if (process_selection_excludes_children() &&
      environment_number("MPROF_ROOT_PID", mine) != mine)
    return false;
  return only == NULL || is_named(only);
}
