/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * in_use.c -- allocates and frees in phases.  After each it writes a line, and
 * reads one before the next.  In use then, of 100, 5000 and 300 bytes each:
 *
 *   small, large, grown   10, 3, 0;  6, 2, 1;  11, 0, 1;  2, 1, 0
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *objects[20], *blocks[4], *changing;
static int object_count;

__attribute__((noinline)) static void
small(int count)
{
  while (count-- > 0)
    objects[object_count++] = malloc(100);
}

__attribute__((noinline)) static void
large(int i)
{
  blocks[i] = malloc(5000);
}

__attribute__((noinline)) static void
grown(void)
{
  changing = realloc(changing, changing == NULL ? 50 : 300);
}

static void
free_small(int count)
{
  while (count-- > 0)
    free(objects[--object_count]);
}

static void *
free_all_large(void *unused)
{
  for (int i = 0; i < 4; i++, blocks[i - 1] = NULL)
    free(blocks[i]);
  return unused;
}

static void
await(void)
{
  char line[2];
  if (write(1, "\n", 1) != 1 || read(0, line, 2) != 2)
    _exit(1);
}

int
main(void)
{
  pthread_t thread;
  small(10);
  for (int i = 0; i < 3; i++)
    large(i);
  await();
  free_small(4);
  free(blocks[0]);
  blocks[0] = NULL;
  grown();
  grown();
  await();
  small(5);
  pthread_create(&thread, NULL, free_all_large, NULL);
  pthread_join(thread, NULL);
  await();
  free_small(9);
  large(1);
  free(changing);
  await();
  return 0;
}
