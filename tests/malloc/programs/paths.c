/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * paths.c -- 2^10 = 1024 paths of calls, on each one object of 8 bytes, three
 * times.
 */
#include <stdlib.h>

static void *volatile kept;

static void __attribute__((noinline))
descend(int depth, int way)
{
  if (depth == 0)
    kept = malloc(8);
  else if ((way >> depth & 1) != 0)
    descend(depth - 1, way);
  else
    descend(depth - 1, way);
  __asm__ volatile("");
}

int
main(void)
{
  for (int i = 0; i < 3 * 1024; i++)
    descend(10, i << 1);
  return 0;
}
