/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* 100 activations of one function, with one object of 8 bytes each. */

#include <stdlib.h>

void *volatile last;

static void
descend(int depth)
{
  last = malloc(8);
  if (depth > 1)
    descend(depth - 1);
  last = NULL;
}

int
main(void)
{
  descend(100);
  return 0;
}
