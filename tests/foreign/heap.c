/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the allocators' own profilers are run on: see make.sh.  300 texts are
 * freed, 50 texts and 50 nodes are kept.
 */

#include <stdlib.h>
#include <string.h>

static void *kept[100];

static char *
text(size_t size)
{
  char *bytes = malloc(size);
  return memset(bytes, 1, size);
}

static void *
node(void)
{
  return calloc(1, 48);
}

static int
waste(int count)
{
  int sum = 0;
  for (int i = 0; i < count; i++) {
    char *bytes = text(100 + (size_t)(i % 3) * 1000);
    sum += bytes[0];
    free(bytes);
  }
  return sum;
}

static void
grow(void)
{
  for (int i = 0; i < 50; i++)
    kept[i] = text(5000);
  for (int i = 50; i < 100; i++)
    kept[i] = node();
}

int
main(void)
{
  int sum = waste(300);
  grow();
  return sum != 300;
}
