/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The time, as a number. */

#pragma once

#include <stdint.h>
#include <time.h>

/* Returns the time of CLOCK, such as CLOCK_MONOTONIC, in nanoseconds. */
static inline int64_t
clock_nanos(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
