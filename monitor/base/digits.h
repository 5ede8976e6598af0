/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * digits.h -- numbers as text, for code that may run on a stack of a few KB,
 * as that of a handler of a signal: snprintf alone takes 1.5 KB of it.
 */
#pragma once

#include <stdint.h>

/* Writes NUMBER in the base RADIX (at most 16) to TO, with a zero behind it;
 * returns where that is. */
static inline char *
write_digits(char *to, uint64_t number, unsigned radix)
{
  char digits[64];
  unsigned count = 0;
  do
    digits[count++] = "0123456789abcdef"[number % radix];
  while ((number /= radix) != 0);
  while (count > 0)
    *to++ = digits[--count];
  *to = '\0';
  return to;
}
