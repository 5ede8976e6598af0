/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * measure OUT COMMAND...: run a command and append to the file OUT a line of
 * what it and its descendants used: seconds of processor time, seconds on the
 * clock, and the most kibibytes that one of them had resident.  Ends as
 * COMMAND does.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
  struct timespec begin, end;
  struct rusage usage;
  int status;
  pid_t child;
  FILE *out;
  if (argc < 3)
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  out = fopen(argv[1], "a");
  if (out == NULL)
    return 1;
  fprintf(out, "%.6f %.6f %ld\n",
          seconds(usage.ru_utime) + seconds(usage.ru_stime),
          (double)(end.tv_sec - begin.tv_sec) +
              (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
          usage.ru_maxrss);
  if (fclose(out) != 0)
    return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
