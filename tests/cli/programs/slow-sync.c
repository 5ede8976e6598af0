/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slow-sync.c -- preloaded: fsync makes the file `finishing' and waits until
 * there is a file `finish'.
 */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int
fsync(int file)
{
  const struct timespec pause = { .tv_nsec = 5000000 };
  (void)file;
  close(creat("finishing", 0666));
  while (access("finish", F_OK) != 0)
    nanosleep(&pause, NULL);
  return 0;
}
