/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program dot draws the call graph.  Its input, output and messages
 * are files in memory, so that nothing waits for anything but its end.
 */

#include "command/child.h"
#include "command/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { INPUT, PICTURE, MESSAGES, FILES }; /* their descriptors in dot */

/* Copies FILE, from its beginning, to SINK. */
static void
copy_file(int file, struct sink *sink)
{
  char bytes[SINK_BUFFER_BYTES];
  ssize_t length;
  for (off_t at = 0; (length = pread(file, bytes, sizeof bytes, at)) > 0;
       at += length)
    sink_bytes(sink, bytes, (size_t)length);
}

/* Sets LINE, of SIZE bytes, to the first line of what the program said. */
static const char *
first_message(int file, char *line, size_t size)
{
  ssize_t length = pread(file, line, size - 1, 0);
  line[length < 0 ? 0 : length] = '\0';
  line[strcspn(line, "\n")] = '\0';
  return *line == '\0' ? "it failed without a message" : line;
}

void
draw_picture(const char *format, const char *text, size_t length,
             struct sink *sink)
{
  const char *const arguments[] = {"dot", format, NULL};
  int files[FILES];
  char line[512];
  pid_t child;
  int failure = 0;
  for (int i = 0; failure == 0 && i < FILES; i++) {
    files[i] = child_file(text, i == INPUT ? length : 0);
    failure = files[i] < 0 ? errno : 0;
  }
  if (failure == 0)
    failure = child_start(arguments, files, false, &child);
  if (failure == ENOENT)
    fail_with(MPROF_CANNOT_RUN,
              "drawing requires Graphviz; install the package graphviz, "
              "which has the program dot");
  if (failure != 0)
    fail_with(MPROF_CANNOT_RUN, "cannot run 'dot': %s", strerror(failure));
  if (!child_end(child))
    fail_with(MPROF_CANNOT_RUN, "dot: %s",
              first_message(files[MESSAGES], line, sizeof line));
  copy_file(files[PICTURE], sink);
}
