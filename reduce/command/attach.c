/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A debugger brings the monitor into a process, and has it begin and end; the
 * process runs by itself in between.  Where it is stopped, it must not be in
 * the middle of an allocation or of loading a library, as it is to load one:
 * so it goes on to the next call of the allocator, or, when it makes none in
 * half a second, is stopped where it is, and not while the dynamic linker
 * changes its list.  It is stopped by SIGSTOP, which no program blocks, and
 * which it does not get to see; all other signals it gets as ever.
 */

#include "command/attach.h"

#include "command/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IDLE_MILLISECONDS = 500, LOOK_MILLISECONDS = 100 };

/* The state of the process, as the kernel's letter; 0: it is not there. */
static char
state_of(size_t pid)
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

/* ---- the debugger ------------------------------------------------------ */

/* What it writes for us begins with this. */
#define MARK "mprof:"

/* 24: where struct r_debug has its state; 0: consistent.  What the shell
 * writes comes at once. */
static const char stop_safely[] = "set pagination off\n"
                                  "set confirm off\n"
                                  "set width 0\n"
                                  "set unwindonsignal on\n"
                                  "handle all nostop noprint pass\n"
                                  "handle SIGSTOP stop nopass\n"
                                  "break malloc\n"
                                  "break calloc\n"
                                  "break realloc\n"
                                  "break free\n"
                                  "set $safe = 0\n"
                                  "while $safe == 0\n"
                                  "shell echo " MARK "waiting\n"
                                  "continue\n"
                                  "shell echo " MARK "stopped\n"
                                  "if *(int *)((char *)&_r_debug + 24) == 0\n"
                                  "set $safe = 1\n"
                                  "end\n"
                                  "end\n"
                                  "delete\n"
                                  "handle SIGSTOP nostop noprint nopass\n";

/* A debugger at work, and what it has said. */
struct debugger {
  pid_t process; /* its own */
  size_t pid;    /* that it is for */
  int output;
  bool waiting;               /* for the next call of the allocator */
  char line[1024];            /* that is not complete yet */
  size_t used;                /* of it */
  char error[256];            /* ours, or what it said last; "" */
  unsigned long long address; /* that it was asked for; 0: it has not said */
  int status;                 /* the same, -1 */
};

/* Starts it for the process PID, with SCRIPT. */
static bool
debugger_start(struct debugger *d, size_t pid, const char *script,
               struct mprof_error *error)
{
  char number[24];
  int output[2];
  int input = memfd_create("mprof", 0);
  size_t length = strlen(script);
  *d = (struct debugger){.pid = pid, .status = -1};
  snprintf(number, sizeof number, "%zu", pid);
  if (input < 0 || write(input, script, length) != (ssize_t)length ||
      lseek(input, 0, SEEK_SET) != 0 || pipe2(output, O_CLOEXEC) != 0) {
    if (input >= 0)
      close(input);
    return mprof_fail(error, MPROF_CANNOT_RUN, "cannot start gdb: %s",
                      strerror(errno));
  }
  d->process = fork();
  if (d->process == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    setsid(); /* Ctrl-C is not for it: its work is to be complete */
    dup2(input, STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    unsetenv("DEBUGINFOD_URLS");
    execlp("gdb", "gdb", "-batch", "-nx", "-p", number, "-x", "/dev/stdin",
           (char *)NULL);
    _exit(127);
  }
  d->output = output[0];
  close(output[1]);
  close(input);
  return d->process > 0 ||
         mprof_fail(error, MPROF_CANNOT_RUN, "cannot start gdb: %s",
                    strerror(errno));
}

static void
take_line(struct debugger *d, const char *line)
{
  const char *said = line;
  if (strncmp(line, MARK, strlen(MARK)) == 0) {
    said += strlen(MARK);
    d->waiting = strcmp(said, "waiting") == 0;
    if (sscanf(said, "address %llu", &d->address) != 1 &&
        sscanf(said, "status %d", &d->status) != 1 &&
        strncmp(said, "error ", 6) == 0)
      snprintf(d->error, sizeof d->error, "%s", said + 6);
  } else if (strncmp(line, "ptrace: ", 8) == 0) {
    snprintf(d->error, sizeof d->error, "%s", line + 8);
  }
}

/* Stops the process when it has run for that time, seen by looking twice:
 * the debugger may not have let it go on yet. */
static void
stop_idle(struct debugger *d, bool *running)
{
  const bool runs = state_of(d->pid) != 't';
  if (runs && *running) {
    kill((pid_t)d->pid, SIGSTOP);
    d->waiting = false;
  }
  *running = runs;
}

/* Waits for its end.  If the process was stopped when it was gone, that was
 * us. */
static void
debugger_finish(struct debugger *d)
{
  struct pollfd ready = {.fd = d->output, .events = POLLIN};
  bool running = false;
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
  while (waitpid(d->process, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (state_of(d->pid) == 'T')
    kill((pid_t)d->pid, SIGCONT);
}

/* ---- begin ------------------------------------------------------------- */

static bool
fail(size_t pid, const char *why, struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_RUN, "cannot profile process %zu: %s",
                    pid, why);
}

bool
attach_check(const struct options *options, struct outcome *outcome)
{
  const size_t pid = options->run.process;
  struct mprof_error *error = &outcome->error;
  char path[64];
  char gdb[PATH_MAX];
  const char *reason;
  char state = state_of(pid);
  if (state == 0 || state == 'Z' || state == 'X')
    return fail(pid, "there is no such process", error);
  if (state == 'T')
    return fail(pid, "it is stopped", error);
  if (state == 't')
    return fail(pid, "a debugger has it stopped", error);
  if (!program_find("gdb", gdb))
    return fail(pid, "gdb is not there, which is needed for that", error);
  snprintf(path, sizeof path, "/proc/%zu/exe", pid);
  if (access(path, R_OK) != 0)
    return fail(pid, strerror(errno), error);
  reason = file_reason(path);
  return reason == NULL || fail(pid, reason, error);
}

/* Writes NAME=VALUE and a newline, as a string of the debugger. */
static void
write_setting(FILE *script, const char *name, const char *value)
{
  fprintf(script, "%s=", name);
  for (; *value != '\0'; value++) {
    if (strchr("\"\\", *value) != NULL)
      putc('\\', script);
    putc(*value, script);
  }
  fputs("\\n", script);
}

static void
write_number(FILE *script, const char *name, size_t number)
{
  if (number != SIZE_MAX)
    fprintf(script, "%s=%zu\\n", name, number);
}

/* The script that brings LIBRARY, and has it count as RUN says; NULL: there
 * is no memory. */
static char *
make_script(const struct run_options *run, const char *library,
            const char *file)
{
  char *text = NULL;
  size_t length;
  FILE *script = open_memstream(&text, &length);
  if (script == NULL)
    return NULL;
  fprintf(script,
          "%s"
          "set $open = (void *(*)(const char *, int))dlopen\n"
          "set $find = (void *(*)(void *, const char *))dlsym\n"
          "set $library = $open(\"%s\", 2)\n"
          "if $library == 0\n"
          "printf \"" MARK "error %%s\\n\","
          " ((const char *(*)(void))dlerror)()\n"
          "else\n"
          "set $end = $find($library, \"mprof_detach\")\n"
          "set $begin = $find($library, \"mprof_attach\")\n"
          "set $why = ((const char *(*)(const char *))$begin)(\"",
          stop_safely, library);
  write_setting(script, "MPROF_OUT", file);
  write_setting(script, "MPROF_CHILDREN", "no");
  if (run->unfolded)
    write_setting(script, "MPROF_UNFOLDED", "1");
  write_number(script, "MPROF_AUTOSAVE", run->autosave);
  write_number(script, "MPROF_BUDGET", run->budget);
  write_number(script, "MPROF_TEMPORARY", run->temporary);
  fputs("\")\n"
        "if $why == 0\n"
        "printf \"" MARK "address %llu\\n\", (unsigned long long)$end\n"
        "else\n"
        "printf \"" MARK "error %s\\n\", $why\n"
        "end\n"
        "end\n"
        "detach\n",
        script);
  if (fclose(script) == 0)
    return text;
  free(text);
  return NULL;
}

/* ---- end --------------------------------------------------------------- */

/* Waits for a signal of SET, SECONDS, or the end of the process. */
static void
wait_for_end(size_t pid, size_t seconds, const sigset_t *set)
{
  const struct timespec look = {.tv_nsec = LOOK_MILLISECONDS * 1000000};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const time_t second = now.tv_sec;
  const long part = now.tv_nsec;
  for (;;) {
    const char state = state_of(pid);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (state == 0 || state == 'Z' || state == 'X')
      return;
    if (seconds != SIZE_MAX &&
        (uint64_t)(now.tv_sec - second) >= seconds + (now.tv_nsec < part))
      return;
    if (sigtimedwait(set, NULL, &look) > 0)
      return;
  }
}

/* Whether the process is still the program that has LIBRARY. */
static bool
has_library(size_t pid, const char *library)
{
  char path[64];
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  snprintf(path, sizeof path, "/proc/%zu/maps", pid);
  FILE *file = fopen(path, "re");
  while (file != NULL && !found && getline(&line, &room, file) > 0)
    found = strstr(line, library) != NULL;
  free(line);
  if (file != NULL)
    fclose(file);
  return found;
}

static bool
detach(size_t pid, unsigned long long address, struct mprof_error *error)
{
  struct debugger d;
  char script[sizeof stop_safely + 128];
  snprintf(script, sizeof script,
           "%sprintf \"" MARK "status %%d\\n\", ((int (*)(void))%llu)()\n"
           "detach\n",
           stop_safely, address);
  if (!debugger_start(&d, pid, script, error))
    return false;
  debugger_finish(&d);
  if (d.status > 0)
    return mprof_fail(error, MPROF_CANNOT_WRITE,
                      "process %zu cannot write its profile: %s", pid,
                      strerror(d.status));
  return d.status == 0 || state_of(pid) == 0 ||
         mprof_fail(error, MPROF_CANNOT_RUN,
                    "process %zu is profiled still: %s", pid,
                    d.error[0] != '\0' ? d.error : "gdb failed");
}

bool
attach_run(const struct options *options, const char *file, struct sink *sink,
           struct outcome *outcome)
{
  const size_t pid = options->run.process;
  char library[PATH_MAX];
  struct debugger d;
  sigset_t set, before;
  struct mprof_error *error = &outcome->error;
  char *script = NULL;
  if (!monitor_find(library, error))
    return false;
  script = make_script(&options->run, library, file);
  if (script == NULL)
    return mprof_error_memory(error);
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, &before);
  bool good = debugger_start(&d, pid, script, error);
  free(script);
  if (good) {
    debugger_finish(&d);
    good = d.address != 0 ||
           fail(pid, d.error[0] != '\0' ? d.error : "gdb failed", error);
  }
  if (good && !options->run.quiet) {
    sink_format(sink, "profiling process %zu; Ctrl-C writes the file\n", pid);
    sink_flush(sink);
  }
  if (good)
    wait_for_end(pid, options->run.seconds, &set);
  if (good && has_library(pid, library))
    good = detach(pid, d.address, error);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return good;
}
