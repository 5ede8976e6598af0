/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command/program_start.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Sets PATH to the file NAME in the folder of LENGTH bytes; returns whether
 * it may be executed. */
static bool
is_program(const char *folder, size_t length, const char *name, char *path)
{
  if (length + 1 + strlen(name) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  path = mempcpy(path, folder, length);
  stpcpy(length == 0 ? path : stpcpy(path, "/"), name);
  return access(path - length, X_OK) == 0;
}

bool
program_find(const char *name, const char *folders, char *path)
{
  path[0] = '\0';
  if (strchr(name, '/') != NULL)
    return is_program("", 0, name, path);
  if (folders == NULL)
    folders = "/bin:/usr/bin"; /* as execvp */
  while (*folders != '\0') {
    const size_t length = strcspn(folders, ":");
    if (is_program(folders, length, name, path))
      return true;
    folders += length;
    folders += *folders == ':';
  }
  errno = ENOENT;
  return false;
}

bool
program_interpreter(int descriptor, char *interpreter)
{
  const ssize_t n = pread(descriptor, interpreter, INTERPRETER_BYTES - 1, 0);
  interpreter[n > 0 ? n : 0] = '\0';
  const bool script = strncmp(interpreter, "#!", 2) == 0;
  const size_t begin = script ? 2 + strspn(interpreter + 2, " \t") : 0;
  const size_t length = script ? strcspn(interpreter + begin, " \t\n") : 0;
  memmove(interpreter, interpreter + begin, length);
  interpreter[length] = '\0';
  return length > 0;
}
