/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/process_selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "c/environment.h"

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

/* Whether `pattern' is for the program at `path': its last part, unless the
 * pattern has a slash. */
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
