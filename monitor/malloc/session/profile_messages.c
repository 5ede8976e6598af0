/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_messages.c -- what is said of the file of this process, see
 * profile_file.h.
 */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "malloc/session/profile_file.h"
#include "write/quiet.h"

void __attribute__((noinline))
profile_file_say(const char *before, const char *behind)
{
  char line[PATH_MAX + 200];
  const int n = snprintf(line, sizeof line, "mprof: %s '%s'%s\n", before,
                         profile_file_name(), behind);
  struct quiet quiet;
  ssize_t ignored;
  quiet_begin(&quiet, false);
  ignored = write(STDERR_FILENO, line, (size_t)n);
  (void)ignored;
  quiet_end(&quiet);
}

void
profile_file_say_why(const char *what, const char *why)
{
  char behind[80];
  if (why == NULL)
    return;
  snprintf(behind, sizeof behind, ": %s", why);
  profile_file_say(what, behind);
}
