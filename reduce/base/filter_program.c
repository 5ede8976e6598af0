/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Input and messages of the program are files in memory, its output is a
 * pipe: there is one thing to wait for, and no way to wait for each other.
 */

#include "base/filter_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is open; -1: not. */
struct filter {
  int input, messages;
  int output[2]; /* read end, write end */
};

static void
close_one(int *descriptor)
{
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
}

/* Opens all, the input holding TEXT; zero or an errno value. */
static int
open_filter(struct filter *filter, const char *text, size_t length)
{
  *filter = (struct filter){-1, -1, {-1, -1}};
  filter->input = memfd_create("mprof-input", MFD_CLOEXEC);
  filter->messages = memfd_create("mprof-messages", MFD_CLOEXEC);
  if (filter->input < 0 || filter->messages < 0 ||
      pipe2(filter->output, O_CLOEXEC) != 0)
    return errno;
  int failure = sink_write_descriptor(&filter->input, text, length);
  if (failure == 0 && lseek(filter->input, 0, SEEK_SET) != 0)
    failure = errno;
  return failure;
}

static void
close_filter(struct filter *filter)
{
  close_one(&filter->input);
  close_one(&filter->messages);
  close_one(&filter->output[0]);
  close_one(&filter->output[1]);
}

/* Starts the program: zero or an errno value. */
static int
start(const struct filter *filter, const char *const *arguments, pid_t *child)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  sigset_t none;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE); /* which a caller may ignore */
  sigemptyset(&none);
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0)
    return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    posix_spawn_file_actions_adddup2(&actions, filter->input, 0);
    posix_spawn_file_actions_adddup2(&actions, filter->output[1], 1);
    posix_spawn_file_actions_adddup2(&actions, filter->messages, 2);
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

/* Copies what the program writes to SINK, until it ends or SINK fails; zero
 * or an errno value. */
static int
copy_output(struct filter *filter, struct sink *sink)
{
  char bytes[SINK_BUFFER_BYTES];
  close_one(&filter->output[1]);
  for (;;) {
    ssize_t length = read(filter->output[0], bytes, sizeof bytes);
    if (length < 0 && errno != EINTR)
      return errno;
    if (length == 0 || sink->error_number != 0)
      break;
    if (length > 0)
      sink_bytes(sink, bytes, (size_t)length);
  }
  return 0;
}

/* Whether CHILD ended well.  Where somebody else has collected it, nobody
 * knows; what it wrote then has to speak for it. */
static bool
ended_well(pid_t child)
{
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first line of what the program said. */
static const char *
first_message(const struct filter *filter, char *line, size_t size)
{
  ssize_t length = pread(filter->messages, line, size - 1, 0);
  line[length < 0 ? 0 : length] = '\0';
  line[strcspn(line, "\n")] = '\0';
  return *line == '\0' ? "it failed and said nothing" : line;
}

bool
filter_program(const char *const *arguments, const char *text, size_t length,
               const char *missing, struct sink *sink,
               struct mprof_error *error)
{
  struct filter filter;
  char line[512];
  pid_t child = -1;
  int failure = open_filter(&filter, text, length);
  if (failure == 0)
    failure = start(&filter, arguments, &child);
  bool is_missing = failure == ENOENT;
  bool well = false;
  if (failure == 0) {
    failure = copy_output(&filter, sink);
    close_one(&filter.output[0]); /* so that it cannot wait for us */
    well = ended_well(child);
  }
  if (is_missing)
    mprof_error_set(error, MPROF_CANNOT_RUN, MPROF_NO_OFFSET, "%s", missing);
  else if (failure != 0)
    mprof_error_set(error, MPROF_CANNOT_RUN, MPROF_NO_OFFSET,
                    "cannot run '%s': %s", arguments[0], strerror(failure));
  else if (!well && sink->error_number == 0)
    mprof_error_set(error, MPROF_CANNOT_RUN, MPROF_NO_OFFSET, "%s: %s",
                    arguments[0], first_message(&filter, line, sizeof line));
  close_filter(&filter);
  return failure == 0 && (well || sink->error_number != 0);
}
