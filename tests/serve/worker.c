/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * worker.c -- a program that allocates as lines of standard input say: "keep
 * N", "drop N" (freed at once), "end".  It answers with a line when it is
 * done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *kept[1 << 20];
static size_t kept_count;

__attribute__((noinline)) static void *
make_object(void)
{
  return memset(malloc(100), 1, 100);
}

__attribute__((noinline)) static void
keep(int n)
{
  while (n-- > 0)
    kept[kept_count++] = make_object();
}

__attribute__((noinline)) static void
drop(int n)
{
  while (n-- > 0)
    free(make_object());
}

int
main(void)
{
  char line[100];
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strncmp(line, "keep ", 5) == 0)
      keep(atoi(line + 5));
    else if (strncmp(line, "drop ", 5) == 0)
      drop(atoi(line + 5));
    else if (strcmp(line, "end\n") == 0)
      return 7;
    puts("done");
  }
  return 0;
}
