/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What mprof.h tells of a terminal. */

#include "mprof.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int
mprof_terminal_width(int descriptor)
{
  const char *columns = getenv("COLUMNS");
  struct winsize size;
  if (isatty(descriptor) == 0)
    return -1;
  if (columns != NULL && atoi(columns) > 0)
    return atoi(columns);
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
