/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * usage.c -- usage FILE PROGRAM...: run it, and write to FILE what it and its
 * descendants used: seconds of the clock, seconds of the processor, and
 * the most memory that one of them had, in kilobytes.  Ends as PROGRAM does.
 */
#include <stdio.h>
#include <stdlib.h>
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
  FILE *file;
  int status;
  pid_t child;
  if (argc < 3)
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &end);
  getrusage(RUSAGE_CHILDREN, &usage);
  file = fopen(argv[1], "w");
  if (file == NULL)
    return 2;
  fprintf(file, "%.6f %.6f %ld\n",
          (double)(end.tv_sec - begin.tv_sec) +
              (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
          seconds(usage.ru_utime) + seconds(usage.ru_stime),
          usage.ru_maxrss);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
