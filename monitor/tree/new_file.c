/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * new_file.c -- see new_file.h.  The function umask would change it for other
 * threads.
 */
#include "tree/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mode_t mask;

void
new_file_keep_mask(void)
{
  static const char name[] = "\nUmask:";
  char text[512] = ""; /* it is on the second line */
  const int saved = errno;
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const char *line = NULL;
  if (file >= 0 && read(file, text, sizeof text - 1) > 0)
    line = strstr(text, name);
  mask = line == NULL ? 077
                      : (mode_t)strtoul(line + sizeof name - 1, NULL, 8);
  if (file >= 0)
    close(file);
  errno = saved;
}

mode_t
new_file_mode(void)
{
  return 0666 & ~mask;
}

int
new_file_open(const char *name)
{
  return open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
              new_file_mode());
}
