/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * recursion.c -- down DEPTH: one function, which allocates on its way down
 * and on its way back.  random DEPTH TIMES: functions that call each other at
 * several places to a depth that is not known, and some that do not recurse
 * below and between them; the same ones in each run.  grow DEPTH...: each
 * depth after the other, by functions that are called in turn.
 */
#include <stdlib.h>
#include <string.h>

#define NOT_INLINE static void __attribute__((noinline))

extern void free(void *);
static void *volatile kept;
static unsigned seed = 1;

static unsigned
next(unsigned n)
{
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

NOT_INLINE
down(int depth)
{
  kept = malloc(10);
  if (depth > 1)
    down(depth - 1);
  free(malloc(20));
  __asm__ volatile("");
}

NOT_INLINE
leaf(size_t size)
{
  kept = malloc(size);
  if (next(2) == 0)
    free(kept);
}

NOT_INLINE
two_leaves(void)
{
  leaf(30);
  leaf(40);
}

NOT_INLINE first(int depth);
NOT_INLINE second(int depth);
NOT_INLINE third(int depth);

NOT_INLINE
between(int depth)
{
  if (next(3) == 0)
    first(depth);
  else
    third(depth);
  __asm__ volatile("");
}

NOT_INLINE
first(int depth)
{
  if (next(4) == 0)
    leaf(50);
  if (depth <= 0)
    two_leaves();
  else if (next(2) == 0)
    second(depth - 1);
  else
    between(depth - 1);
  __asm__ volatile("");
}

NOT_INLINE
second(int depth)
{
  const unsigned way = next(3);
  if (depth <= 0)
    leaf(60);
  else if (way == 0)
    first(depth - 1);
  else if (way == 1)
    second(depth - 1);
  else
    third(depth - 2);
  if (next(5) == 0)
    two_leaves();
}

NOT_INLINE
third(int depth)
{
  if (next(3) == 0)
    kept = malloc(70);
  if (depth > 0 && next(2) == 0)
    second(depth - 1);
  else if (depth > 0)
    first(depth - 1);
  __asm__ volatile("");
}

/* odd and even in turn, one object at each level. */
NOT_INLINE even(int depth);

NOT_INLINE
odd(int depth)
{
  kept = malloc(1);
  if (depth > 1)
    even(depth - 1);
  __asm__ volatile("");
}

NOT_INLINE
even(int depth)
{
  kept = malloc(2);
  if (depth > 1)
    odd(depth - 1);
  __asm__ volatile("");
}

int
main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "down") == 0)
    down(atoi(argv[2]));
  else if (argc == 4 && strcmp(argv[1], "random") == 0)
    for (int i = 0; i < atoi(argv[3]); i++)
      first((int)next((unsigned)atoi(argv[2])));
  else if (strcmp(argv[1], "grow") == 0)
    for (int i = 2; i < argc; i++)
      even(atoi(argv[i]));
  else
    return 98;
  return 0;
}
