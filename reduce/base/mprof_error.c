/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/mprof_error.h"

#include <stdio.h>

void
mprof_error_clear(struct mprof_error *error)
{
  *error = (struct mprof_error){.offset = MPROF_NO_OFFSET};
}

void
mprof_line_v(char line[MPROF_ERROR_LENGTH], const char *format,
             va_list arguments)
{
  vsnprintf(line, MPROF_ERROR_LENGTH, format, arguments);
  for (char *c = line; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
}

void
mprof_line(char line[MPROF_ERROR_LENGTH], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  mprof_line_v(line, format, arguments);
  va_end(arguments);
}

void
mprof_error_no_memory(struct mprof_error *error)
{
  *error = (struct mprof_error){.code = MPROF_NO_MEMORY,
                                .offset = MPROF_NO_OFFSET,
                                .message = "out of memory"};
}
