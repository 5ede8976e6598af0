/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * debugger.c -- see debugger.h.
 */
#include "command/debugger.h"

#include "command/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IDLE_MILLISECONDS = 500 };

char
process_state(size_t pid)
{
  char path[64];
  char text[512] = "";
  snprintf(path, sizeof path, "/proc/%zu/stat", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return 0;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *end = strrchr(text, ')'); /* of its name */
  return end == NULL || end[1] == '\0' ? '?' : end[2];
}

bool
process_state_is_end(char state)
{
  return state == 0 || state == 'Z' || state == 'X';
}

/* Starts gdb with a session of its own: Ctrl-C is not for it, since its work
 * is to be complete.  gdb waits for children of its own. */
static void
start(struct debugger *d, size_t pid, const char *script)
{
  int output[2];
  const char *const arguments[] = {
      "env", "-u", "DEBUGINFOD_URLS", "gdb", "-batch", "-nx", "-p",
      pool_format("%zu", pid), "-x", "/dev/stdin",
      /* its program, which may have been deleted */
      pool_format("/proc/%zu/exe", pid), NULL};
  *d = (struct debugger){.pid = pid, .status = -1};
  const int input = child_file(script, strlen(script));
  int failure = input < 0 || pipe2(output, O_CLOEXEC) != 0 ? errno : 0;
  if (failure == 0) {
    const int streams[] = {input, output[1], output[1]};
    failure = child_start(arguments, streams, true, &d->process);
    close(output[1]);
    d->output = output[0];
    if (failure != 0)
      close(output[0]);
  }
  if (failure != 0)
    fail_with(MPROF_CANNOT_RUN, "cannot start gdb: %s", strerror(failure));
}

static void
take_line(struct debugger *d, const char *line)
{
  const char *said = line;
  if (strncmp(line, DEBUGGER_SAYS, strlen(DEBUGGER_SAYS)) == 0) {
    said += strlen(DEBUGGER_SAYS);
    d->waiting = strcmp(said, "waiting") == 0;
    if (sscanf(said, "address %llu", &d->address) != 1 &&
        sscanf(said, "status %d", &d->status) != 1 &&
        strncmp(said, "error ", 6) == 0)
      snprintf(d->error, sizeof d->error, "%s", said + 6);
  } else if (strncmp(line, "ptrace: ", 8) == 0) {
    snprintf(d->error, sizeof d->error, "%s", line + 8);
  } else if (strncmp(line, "Couldn't ", 9) == 0 || d->fails) {
    snprintf(d->error, sizeof d->error, "gdb failed: %.200s", line);
    d->fails = false;
  } else if (strstr(line, "Error in sourced command file:") != NULL) {
    d->fails = true;
  }
}

/* Stops the process when it has run for that time, seen by looking twice:
 * the debugger may not have let it go on yet. */
static void
stop_idle(struct debugger *d, bool *running)
{
  const bool runs = process_state(d->pid) != 't';
  if (runs && *running) {
    kill((pid_t)d->pid, SIGSTOP);
    d->waiting = false;
  }
  *running = runs;
}

/* Runs the debugger.  A process that is stopped when it is gone was stopped
 * by us, and is continued. */
void
debugger_run(struct debugger *d, size_t pid, const char *script)
{
  bool running = false;
  start(d, pid, script);
  struct pollfd ready = {.fd = d->output, .events = POLLIN};
  for (;;) {
    int changed = poll(&ready, 1, d->waiting ? IDLE_MILLISECONDS : -1);
    if (changed == 0) {
      stop_idle(d, &running);
    } else if (changed > 0) {
      char *newline;
      ssize_t got =
          read(d->output, d->line + d->used, sizeof d->line - 1 - d->used);
      if (got == 0 || (got < 0 && errno != EINTR))
        break;
      d->used += got > 0 ? (size_t)got : 0;
      d->line[d->used] = '\0';
      running = false;
      while ((newline = strchr(d->line, '\n')) != NULL) {
        *newline = '\0';
        take_line(d, d->line);
        d->used -= (size_t)(newline + 1 - d->line);
        memmove(d->line, newline + 1, d->used + 1);
      }
      if (d->used == sizeof d->line - 1)
        d->used = 0; /* a long line of its own */
    } else if (errno != EINTR) {
      break;
    }
  }
  close(d->output);
  child_end(d->process);
  if (process_state(d->pid) == 'T')
    kill((pid_t)d->pid, SIGCONT);
}
