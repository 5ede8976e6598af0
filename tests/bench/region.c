/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * region.c -- clocks, the edges of what callgrind is to count, and a C
 * function that calls back.
 *
 * Knows nothing of ECL, so that one file serves the patched and the unpatched
 * one alike; both load it at run time.  Outside valgrind the two functions
 * for callgrind do nothing.
 */
#include <stdint.h>
#include <time.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS ((void)0)
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

int64_t bench_nanoseconds(void);
void bench_region_begin(void);
void bench_region_end(const char *name);
long bench_sum_of_calls(long (*callback)(long), long count);

/* Of processor time, of the whole process. */
int64_t
bench_nanoseconds(void)
{
  struct timespec now = { 0, 0 };
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void
bench_region_begin(void)
{
  CALLGRIND_ZERO_STATS;
}

/* Have callgrind write a file with what was run since the last of these. */
void
bench_region_end(const char *name)
{
  CALLGRIND_DUMP_STATS_AT(name);
}

/* For a program that has C between its Lisp functions. */
long
bench_sum_of_calls(long (*callback)(long), long count)
{
  long sum = 0;
  for (long i = 0; i < count; i++)
    sum += callback(i);
  return sum;
}
