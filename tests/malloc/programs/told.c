/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * told.c -- reads lines "FUNCTION COUNT BYTES", allocates so, and answers with
 * the number of the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile last;

__attribute__((noinline)) static void
first(int count, size_t bytes)
{
  while (count-- > 0)
    last = malloc(bytes);
}

__attribute__((noinline)) static void
other(int count, size_t bytes)
{
  while (count-- > 0)
    last = malloc(bytes);
}

int
main(void)
{
  static char input[4096], output[4096];
  char name[32];
  setvbuf(stdin, input, _IOFBF, sizeof input);
  setvbuf(stdout, output, _IOFBF, sizeof output);
  int count;
  size_t bytes;
  while (scanf("%31s %d %zu", name, &count, &bytes) == 3) {
    if (strcmp(name, "first") == 0)
      first(count, bytes);
    else
      other(count, bytes);
    printf("%d\n", (int)getpid());
    fflush(stdout);
  }
  return 0;
}
