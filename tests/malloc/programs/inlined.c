/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * inlined.c -- functions that the compiler puts into others: one in another,
 * the same one twice, in a loop, in one that is inlined itself, and one that
 * is called as well.
 */
#include <stdlib.h>

#define INSIDE static inline __attribute__((always_inline))
#define APART __attribute__((noinline, noclone, noipa))

static void *volatile kept;

INSIDE void
take(size_t size)
{
  kept = malloc(size);
}

INSIDE void
take_twice(size_t size)
{
  take(size);
  take(size + 1);
}

INSIDE void
take_often(int count)
{
  for (int i = 0; i < count; i++) {
    void *block = calloc(3, 100);
    if (i % 2 == 0)
      take_twice(1000);
    kept = block;
  }
}

/* Active when it is called by its address. */
static void
either(void)
{
  kept = malloc(7);
}

static void (*volatile by_address)(void) = either;

APART void
apart(void)
{
  take(10);
  take_twice(20);
}

int
main(void)
{
  take(1);
  take_often(4);
  apart();
  either();
  by_address();
  return 0;
}
