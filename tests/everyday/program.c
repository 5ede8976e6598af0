/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program to start in odd surroundings: 100 objects of 10 bytes in first(),
 * 100 of 20 in second(), and between them as many seconds as its argument
 * says, or, for `wait', until somebody has written to the pipe `go'.  It
 * then makes the file `ready' before, with the process that started it.
 * It ends with 3, after a line that says how many alarms came.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;

static void
count_alarm(int number)
{
  (void)number;
  alarms++;
}

__attribute__((noinline)) static void
allocate(int count, size_t size)
{
  for (int i = 0; i < count; i++) {
    void *volatile object = malloc(size);
    (void)object;
  }
}

__attribute__((noinline)) static void
first(void)
{
  allocate(100, 10);
  __asm__ volatile(""); /* no tail call */
}

__attribute__((noinline)) static void
second(void)
{
  allocate(100, 20);
  __asm__ volatile("");
}

/* Writes TEXT, whose length is LENGTH; stdio would allocate a buffer. */
static void
write_all(int file, const char *text, int length)
{
  if (write(file, text, (size_t)length) != length)
    alarms += 100;
}

/* Waits until the pipe `go' has a writer. */
static void
wait_for_go(void)
{
  char text[32], byte;
  int ready = open("ready.new", O_WRONLY | O_CREAT | O_TRUNC, 0600), go;

  write_all(ready, text, snprintf(text, sizeof text, "%d\n", (int)getppid()));
  close(ready);
  rename("ready.new", "ready");
  do
    go = open("go", O_RDONLY);
  while (go < 0); /* interrupted */
  while (read(go, &byte, 1) < 0)
    continue;
  close(go);
}

static void
sleep_for(int seconds)
{
  struct timespec left = {.tv_sec = seconds};

  while (nanosleep(&left, &left))
    continue;
}

int
main(int count, char **arguments)
{
  char text[64];

  signal(SIGALRM, count_alarm);
  first();
  if (count > 1 && strcmp(arguments[1], "wait") == 0)
    wait_for_go();
  else if (count > 1)
    sleep_for(atoi(arguments[1]));
  second();
  write_all(1, text, snprintf(text, sizeof text, "finished, %d alarms\n",
                              (int)alarms));
  return 3;
}
