/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starts another program by posix_spawn, and waits for its end. */

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
