/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Read byte by byte, so that memory does not grow with the file. */

#include "analysis/sample_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool
is_blank(int c)
{
  return c == ' ' || c == '\n' || c == EOF;
}

/* Reads FILE; on failure *OFFSET is where the number in hand begins. */
static bool
read_numbers(FILE *file, bool *chosen, size_t count, int64_t *offset)
{
  size_t number = 0;
  bool digits = false;
  for (int64_t at = 0;; at++) {
    int c = getc(file);
    if (is_blank(c)) {
      if (digits)
        chosen[number] = true;
      if (c == EOF)
        return true;
      number = 0;
      digits = false;
      continue;
    }
    if (!digits)
      *offset = at;
    if (c < '0' || c > '9' || number > SIZE_MAX / 10 - 1)
      return false;
    number = number * 10 + (size_t)(c - '0');
    digits = true;
    if (number >= count)
      return false;
  }
}

bool
sample_numbers_read(const char *path, bool *chosen, size_t count,
                    struct mprof_error *error)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "cannot open '%s': %s", path, strerror(errno));
  int64_t offset = 0;
  bool good = read_numbers(file, chosen, count, &offset);
  if (!good)
    mprof_error_set(error, MPROF_BAD_PROFILE, offset,
                    "'%s' does not hold numbers of samples below %zu "
                    "(offset %lld of the file)",
                    path, count, (long long)offset);
  else if (ferror(file))
    good = mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "cannot read '%s': %s", path, strerror(errno));
  fclose(file);
  return good;
}
