/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SIGALRM draws.  The handler only reads atomics and calls write; calls that
 * it interrupts are restarted.  A line is removed by blanks, which works on
 * any terminal.
 */

#include "terminal_progress.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_SECONDS = 2, AGAIN_MICROSECONDS = 250000, LINE_BYTES = 78 };

static struct progress now;
static volatile sig_atomic_t drawn; /* columns of the line that is there */
static bool running;

/* Appends TEXT to the LENGTH bytes of LINE; the new length. */
static size_t
append(char line[LINE_BYTES], size_t length, const char *text)
{
  while (*text != '\0' && length < LINE_BYTES)
    line[length++] = *text++;
  return length;
}

/* The same for a NUMBER. */
static size_t
append_number(char line[LINE_BYTES], size_t length, uint64_t number)
{
  char digits[24];
  char *digit = digits + sizeof digits;
  *--digit = '\0';
  do
    *--digit = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  return append(line, length, digit);
}

static void
write_line(const char *line, size_t length)
{
  ssize_t ignored = write(STDERR_FILENO, line, length);
  (void)ignored;
}

static void
remove_line(void)
{
  char line[LINE_BYTES + 2];
  size_t columns = (size_t)drawn;
  if (columns == 0)
    return;
  memset(line, ' ', sizeof line);
  line[0] = line[columns + 1] = '\r';
  write_line(line, columns + 2);
  drawn = 0;
}

static void
draw(int signal_number)
{
  int saved = errno;
  char line[LINE_BYTES];
  const char *what = atomic_load_explicit(&now.what, memory_order_relaxed);
  uint64_t done = atomic_load_explicit(&now.done, memory_order_relaxed);
  uint64_t whole = atomic_load_explicit(&now.whole, memory_order_relaxed);
  (void)signal_number;
  if (what != NULL) {
    size_t length = append(line, 0, "mprof: ");
    length = append(line, length, what);
    if (whole != 0 && done <= whole) {
      length = append(line, length, " ");
      length = append_number(line, length,
                             (uint64_t)((double)done / (double)whole * 100));
      length = append(line, length, " %");
    }
    remove_line();
    write_line(line, length);
    drawn = (sig_atomic_t)length;
  }
  errno = saved;
}

struct progress *
terminal_progress_start(void)
{
  struct sigaction action = {.sa_handler = draw, .sa_flags = SA_RESTART};
  struct itimerval timer = {.it_value = {FIRST_SECONDS, 0},
                            .it_interval = {0, AGAIN_MICROSECONDS}};
  if (isatty(STDERR_FILENO) == 0 || sigemptyset(&action.sa_mask) != 0 ||
      sigaction(SIGALRM, &action, NULL) != 0 ||
      setitimer(ITIMER_REAL, &timer, NULL) != 0)
    return NULL;
  running = true;
  return &now;
}

void
terminal_progress_stop(void)
{
  struct itimerval timer = {0};
  if (!running)
    return;
  running = false;
  setitimer(ITIMER_REAL, &timer, NULL);
  signal(SIGALRM, SIG_IGN);
  remove_line();
}
