/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one way in which the reducer reports failure.
 *
 * A function that can fail takes a struct mprof_error and gives back false
 * (or NULL) after filling it; the first failure stays, later ones do not
 * overwrite it.  The struct owns no memory.  No thread rules: a struct
 * belongs to whoever declared it.
 */

#ifndef MPROF_ERROR_H
#define MPROF_ERROR_H

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
  MPROF_USAGE /* the command line is wrong */
};

enum { MPROF_NO_OFFSET = -1, MPROF_ERROR_LENGTH = 4608 };

struct mprof_error {
  enum mprof_error_code code;
  int64_t offset; /* bytes into the input, or MPROF_NO_OFFSET */
  char message[MPROF_ERROR_LENGTH]; /* one line, no newline */
};

/* Makes ERROR say that nothing went wrong. */
void mprof_error_clear(struct mprof_error *error);

/* Records a failure unless one is recorded already.  Control characters in
 * the message become '?' so that it stays one line.  Always gives back
 * false, so that a caller can return it. */
bool mprof_error_set(struct mprof_error *error, enum mprof_error_code code,
                     int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for what has no place in an input. */
#define mprof_fail(error, code, ...)                                         \
  mprof_error_set(error, code, MPROF_NO_OFFSET, __VA_ARGS__)

/* Sets LINE to formatted text in that same way. */
void mprof_line(char line[MPROF_ERROR_LENGTH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Records that memory ran out; gives back false. */
bool mprof_error_memory(struct mprof_error *error);

#endif
