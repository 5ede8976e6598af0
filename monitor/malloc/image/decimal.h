/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * decimal.h -- numbers as text where printf is too much: each child of a fork
 * that calls it for the first time takes eight page faults for its code.
 */
#ifndef MPROF_DECIMAL_H
#define MPROF_DECIMAL_H

#include <stdint.h>

enum { DECIMAL_BYTES = 20 }; /* at most, of a number */

/* Write `n' with at least `digits' digits to `to', without a zero at the end;
 * gives back where it ends. */
static inline char *
decimal_put(char *to, uint64_t n, int digits)
{
  char text[DECIMAL_BYTES];
  int first = DECIMAL_BYTES;
  do {
    text[--first] = (char)('0' + n % 10);
    n /= 10;
  } while (n != 0 || DECIMAL_BYTES - first < digits);
  while (first < DECIMAL_BYTES)
    *to++ = text[first++];
  return to;
}

#endif
