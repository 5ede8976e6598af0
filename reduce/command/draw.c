/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program dot draws the call graph.  Its input, output and messages
 * are files in memory, so that nothing waits for anything but its end.  No
 * shell is involved.
 */

#include "command/command.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT, PICTURE, MESSAGES, FILES }; /* their descriptors in dot */

/* Opens the files, the input holding TEXT; zero or an errno value. */
static int
open_files(int files[FILES], const char *text, size_t length)
{
  int failure = 0;
  for (int i = 0; i < FILES; i++) {
    files[i] = memfd_create("mprof", MFD_CLOEXEC);
    if (files[i] < 0)
      failure = errno;
  }
  if (failure == 0)
    failure = sink_write_descriptor(&files[INPUT], text, length);
  if (failure == 0 && lseek(files[INPUT], 0, SEEK_SET) != 0)
    failure = errno;
  return failure;
}

/* Starts the program: zero or an errno value. */
static int
start(const int files[FILES], const char *const *arguments, pid_t *child)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  sigset_t none;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE); /* these a caller may ignore */
  sigaddset(&defaults, SIGCHLD);
  sigemptyset(&none);
  if (posix_spawn_file_actions_init(&actions) != 0)
    return ENOMEM;
  int failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    for (int i = 0; i < FILES; i++)
      posix_spawn_file_actions_adddup2(&actions, files[i], i);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    failure = posix_spawnp(child, arguments[0], &actions, &attributes,
                           (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/* Whether CHILD succeeded, as far as is known: its status may have been
 * collected elsewhere. */
static bool
ended_well(pid_t child)
{
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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

/* The first line of what the program said. */
static const char *
first_message(int file, char *line, size_t size)
{
  ssize_t length = pread(file, line, size - 1, 0);
  line[length < 0 ? 0 : length] = '\0';
  line[strcspn(line, "\n")] = '\0';
  return *line == '\0' ? "it failed without a message" : line;
}

static void
close_files(void *files)
{
  for (int i = 0; i < FILES; i++)
    if (((int *)files)[i] >= 0)
      close(((int *)files)[i]);
}

void
draw_picture(const char *format, const char *text, size_t length,
             struct sink *sink)
{
  const char *const arguments[] = {"dot", format, NULL};
  int *files = pool_alloc(FILES * sizeof *files);
  char line[512];
  pid_t child;
  int failure = open_files(files, text, length);
  pool_on_release(close_files, files);
  if (failure == 0)
    failure = start(files, arguments, &child);
  if (failure == ENOENT)
    fail_with(MPROF_CANNOT_RUN,
              "drawing requires Graphviz; install the package graphviz, "
              "which has the program dot");
  if (failure != 0)
    fail_with(MPROF_CANNOT_RUN, "cannot run 'dot': %s", strerror(failure));
  if (!ended_well(child))
    fail_with(MPROF_CANNOT_RUN, "dot: %s",
              first_message(files[MESSAGES], line, sizeof line));
  copy_file(files[PICTURE], sink);
}
