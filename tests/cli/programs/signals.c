/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * signals.c -- allocates 5 objects of 10 bytes, writes the number of its
 * process to the file `ready', and waits for a signal:
 *
 *     signals wait           that ends it
 *     signals handle N       that it handles, as it does TERM; of each, one
 *                            object of as many bytes as the signal has for a
 *                            number, and the file `handled'; TERM ends it with
 *                            status 9
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept[10];
static volatile sig_atomic_t got;

static void
handle(int number)
{
  got = number;
}

static int
write_number(const char *path)
{
  char text[24];
  const int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  const int file = creat(path, 0666);
  return file >= 0 && write(file, text, (size_t)n) == n && close(file) == 0;
}

int
main(int argc, char **argv)
{
  const struct sigaction action = { .sa_handler = handle };
  sigset_t all, before;
  for (int i = 0; i < 5; i++)
    kept[i] = malloc(10);
  if (argc > 2) {
    sigfillset(&all); /* none comes but in sigsuspend */
    sigprocmask(SIG_BLOCK, &all, &before);
    sigaction(atoi(argv[2]), &action, NULL);
    sigaction(SIGTERM, &action, NULL);
  }
  if (argc < 2 || !write_number("ready"))
    return 1;
  if (strcmp(argv[1], "wait") == 0)
    for (;;)
      pause();
  while (got != SIGTERM) {
    sigsuspend(&before);
    kept[5] = malloc((size_t)got);
    write_number("handled");
  }
  return 9;
}
