/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Failures as values; see mprof_error.h. */

#include "base/mprof_error.h"

#include <stdarg.h>
#include <stdio.h>

void
mprof_error_clear(struct mprof_error *error)
{
  *error = (struct mprof_error){.offset = MPROF_NO_OFFSET};
}

static void
format_line(char line[MPROF_ERROR_LENGTH], const char *format,
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
  format_line(line, format, arguments);
  va_end(arguments);
}

bool
mprof_error_set(struct mprof_error *error, enum mprof_error_code code,
                int64_t offset, const char *format, ...)
{
  if (error->code != MPROF_OK)
    return false;
  error->code = code;
  error->offset = offset;
  va_list arguments;
  va_start(arguments, format);
  format_line(error->message, format, arguments);
  va_end(arguments);
  return false;
}

bool
mprof_error_memory(struct mprof_error *error)
{
  return mprof_fail(error, MPROF_NO_MEMORY, "out of memory");
}
