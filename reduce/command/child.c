/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starts another program by posix_spawn, and waits for its end.  The program
 * dot draws the call graph: its input, output and messages are files in
 * memory, so that nothing waits for anything but its end. */

#include "command/command.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int
child_file(const char *text, size_t length)
{
  int file = pool_descriptor(memfd_create("mprof", MFD_CLOEXEC));
  if (file < 0)
    return -1;
  const int failure = sink_write_descriptor(&file, text, length);
  if (failure == 0)
    return lseek(file, 0, SEEK_SET) == 0 ? file : -1;
  errno = failure;
  return -1;
}

int
child_start(const char *const *arguments, const int streams[3], bool apart,
            pid_t *child)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  const int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                    (apart ? POSIX_SPAWN_SETSID : 0);
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE); /* these a caller may ignore */
  sigaddset(&defaults, SIGCHLD);
  if (apart)
    sigfillset(&defaults);
  if (posix_spawn_file_actions_init(&actions) != 0)
    return ENOMEM;
  int failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    for (int i = 0; i < 3; i++)
      posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, (short)flags);
    failure = posix_spawnp(child, arguments[0], &actions, &attributes,
                           (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

bool
child_end(pid_t child)
{
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- dot ---- */

enum { INPUT, PICTURE, MESSAGES, FILES }; /* their descriptors in dot */

void
draw_picture(const char *format, const char *text, size_t text_length,
             struct sink *sink)
{
  const char *const arguments[] = {"dot", pool_format("-T%s", format), NULL};
  int files[FILES];
  char line[512], bytes[SINK_BUFFER_BYTES];
  ssize_t length;
  pid_t child;
  int failure = 0;
  for (int i = 0; failure == 0 && i < FILES; i++) {
    files[i] = child_file(text, i == INPUT ? text_length : 0);
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
  if (!child_end(child)) {
    length = pread(files[MESSAGES], line, sizeof line - 1, 0);
    line[length < 0 ? 0 : length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fail_with(MPROF_CANNOT_RUN, "dot: %s",
              *line == '\0' ? "it failed without a message" : line);
  }
  for (off_t at = 0;
       (length = pread(files[PICTURE], bytes, sizeof bytes, at)) > 0;
       at += length)
    sink_bytes(sink, bytes, (size_t)length);
}
