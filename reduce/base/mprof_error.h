/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why work has failed: see base/pool.h for how.  The struct owns no memory
 * and belongs to whoever declared it.
 */

#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum mprof_error_code {
  MPROF_OK = 0,
  MPROF_CANNOT_READ,  /* opening or reading a file failed */
  MPROF_BAD_PROFILE,  /* the file's content is no valid profile */
  MPROF_CANNOT_WRITE, /* output failed */
  MPROF_CANNOT_RUN,   /* another program is missing or failed */
  MPROF_NO_MEMORY,
  MPROF_NOTHING, /* the options choose nothing of a profile */
  MPROF_USAGE    /* the command line is wrong */
};

enum { MPROF_NO_OFFSET = -1, MPROF_ERROR_LENGTH = 4608 };

struct mprof_error {
  enum mprof_error_code code;
  int64_t offset; /* bytes into the input, or MPROF_NO_OFFSET */
  char message[MPROF_ERROR_LENGTH]; /* one line, no newline */
  char path[PATH_MAX]; /* of the file that it is about, as it was given; "" if
                          it is about none */
};

/* Sets LINE to formatted text, which may come from anywhere: it is one line,
 * as escape_name writes it (base/quote.h). */
void mprof_line(char line[MPROF_ERROR_LENGTH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mprof_line_v(char line[MPROF_ERROR_LENGTH], const char *format,
                  va_list arguments);

/* Writes such a line of the command's to standard error. */
void mprof_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
