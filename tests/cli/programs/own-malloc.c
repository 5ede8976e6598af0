/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own-malloc.c -- a program whose malloc takes no other one.
 */
#include <stddef.h>

static char memory[1 << 20];
static size_t used;

void *
malloc(size_t bytes)
{
  void *p = memory + used;
  used += (bytes + 31) & ~(size_t)15;
  return p;
}

void
free(void *p)
{
  (void)p;
}

void *
calloc(size_t count, size_t size)
{
  return malloc(count * size);
}

void *
realloc(void *p, size_t bytes)
{
  (void)p;
  return malloc(bytes);
}

int
main(void)
{
  return malloc(10) == NULL;
}
