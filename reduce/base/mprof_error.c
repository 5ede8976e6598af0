/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Formats messages in one line, and prints those of the command. */

#include "base/mprof_error.h"

#include "base/quote.h"

#include <stdio.h>

void
mprof_line_v(char line[MPROF_ERROR_LENGTH], const char *format,
             va_list arguments)
{
  char raw[MPROF_ERROR_LENGTH];
  vsnprintf(raw, sizeof raw, format, arguments);
  escape_line(raw, line, MPROF_ERROR_LENGTH);
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
mprof_say(const char *format, ...)
{
  char line[MPROF_ERROR_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  mprof_line_v(line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "mprof: %s\n", line);
}
