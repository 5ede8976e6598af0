/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/mprof_error.h"

#include "base/quote.h"

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

void
mprof_error_no_memory(struct mprof_error *error)
{
  *error = (struct mprof_error){.code = MPROF_NO_MEMORY,
                                .offset = MPROF_NO_OFFSET,
                                .message = "out of memory"};
}
