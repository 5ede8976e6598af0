/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A debugger loads the monitor into a process, and starts and stops it; the
 * process runs freely in between.  The process must not be stopped in the
 * middle of an allocation or while it loads a library, since it has to load
 * one.  So it runs to its next call of the allocator.  If it makes none in
 * half a second it is stopped where it is, unless the dynamic linker is
 * changing its list.  SIGSTOP stops it, which no program can block; the
 * process does not see it.  All other signals are delivered as usual.
 */

#include "base/clock.h"
#include "base/input_file.h"
#include "command/command.h"
#include "command/program_start.h"
#include "command/run_files.h"
#include "command/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 100, IDLE_MILLISECONDS = 500 };

extern const char attach_script[]; /* attach_script.S */

char
process_state(size_t pid)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%zu/stat", pid);
  char *text = text_file_read(path);
  const char state = text == NULL ? 0 : strrchr(text, ')')[2]; /* its name */
  pool_free(text);
  return state;
}

bool
process_has_ended(size_t pid)
{
  const char state = process_state(pid);
  return state == 0 || state == 'Z' || state == 'X';
}

/* Returns whether the process has a file whose path has LIBRARY in it. */
static bool
has_library(size_t pid, const char *library)
{
  const char *text = text_file_read(pool_format("/proc/%zu/maps", pid));
  return text != NULL && strstr(text, library) != NULL;
}

void
attach_prepare(const struct options *options, struct run_files *files)
{
  const size_t pid = options->run.process;
  const int program = pool_open(pool_format("/proc/%zu/exe", pid), O_RDONLY);
  files->sums.ecl = has_library(pid, "/libecl.so");
  if (program >= 0)
    files->code.deleted = pool_format("/proc/self/fd/%d", program);
}

/* ---- the debugger ------------------------------------------------------ */

/* What a script writes for us begins with this: "address N", "status N",
 * "error TEXT", "waiting" (from now on for something that the process does)
 * and "stopped". */
#define DEBUGGER_SAYS "mprof:"

/* A debugger, and what it has said. */
struct debugger {
  pid_t process; /* its own */
  int output;
  bool waiting;               /* for the next call of the allocator */
  bool fails;                 /* the next line says why the script ended */
  char error[256];            /* ours, or what it said last */
  unsigned long long address; /* that it was asked for; 0: it has not said */
  int status;                 /* the same, -1 */
};

/* Starts gdb with a session of its own: Ctrl-C is not for it, since its work
 * is to be complete.  gdb waits for children of its own. */
static void
start_debugger(struct debugger *d, size_t pid, const char *script)
{
  int output[2];
  const char *const arguments[] = {
      "env", "-u", "DEBUGINFOD_URLS", "gdb", "-batch", "-nx",
      "-readnever", /* the script names no more than symbols */
      "-p", pool_format("%zu", pid), "-x", "/dev/stdin",
      /* its program, which may have been deleted */
      pool_format("/proc/%zu/exe", pid), NULL};
  *d = (struct debugger){.error = "gdb failed", .status = -1};
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

/* Lets gdb do what SCRIPT says with the process PID, until its end.  A
 * process that it waits for and that does nothing for half a second is
 * stopped by SIGSTOP; if it is stopped when gdb is gone, it is continued.
 * That it runs is seen twice, as gdb may not have let it go on at first. */
static void
run_debugger(struct debugger *d, size_t pid, const char *script)
{
  bool running = false; /* at the last look */
  char *line = NULL;
  size_t size = 0;
  start_debugger(d, pid, script);
  struct pollfd ready = {.fd = d->output, .events = POLLIN};
  FILE *output = fdopen(d->output, "r");
  if (output == NULL)
    fail_memory();
  setvbuf(output, NULL, _IONBF, 0); /* poll knows of no buffer */
  for (;;) {
    const int changed = poll(&ready, 1, d->waiting ? IDLE_MILLISECONDS : -1);
    if (changed == 0) {
      const bool runs = process_state(pid) != 't';
      if (runs && running) {
        kill((pid_t)pid, SIGSTOP);
        d->waiting = false;
      }
      running = runs;
    } else if (changed > 0) {
      running = false;
      if (getline(&line, &size, output) < 0)
        break;
      line[strcspn(line, "\n")] = '\0';
      take_line(d, line);
    }
  }
  free(line);
  fclose(output);
  child_end(d->process);
  if (process_state(pid) == 'T')
    kill((pid_t)pid, SIGCONT);
}

/* ---- begin ------------------------------------------------------------- */

static _Noreturn void
refuse(size_t pid, const char *why)
{
  fail_with(MPROF_CANNOT_RUN, "cannot profile process %zu: %s", pid, why);
}

/* Returns whether gdb needs the right file of the library PATH: it has an
 * allocator, or is the dynamic linker. */
static bool
has_entries(const char *path)
{
  static const char *const names[] = {"/libc.so",  "/libc-", "/ld-",
                                      "/libdl.so", "malloc", "/libpthread"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(path, names[i]) != NULL)
      return true;
  return false;
}

/* Refuses a process one of whose libraries was deleted or replaced since it
 * was loaded, where gdb would look for functions in the wrong file, or find
 * none. */
static void
check_libraries(size_t pid)
{
  static const char gone[] = " (deleted)";
  char program[PATH_MAX] = "";
  if (readlink(pool_format("/proc/%zu/exe", pid), program,
               sizeof program - 1) < 0)
    refuse(pid, strerror(errno));
  char *text = text_file_read(pool_format("/proc/%zu/maps", pid));
  for (char *line; (line = strsep(&text, "\n")) != NULL;) {
    char *file = strchr(line, '/'), *mark = strstr(line, gone);
    if (file == NULL || mark == NULL || mark[sizeof gone - 1] != '\0' ||
        strstr(line, " r-xp ") == NULL || strcmp(file, program) == 0)
      continue;
    *mark = '\0';
    if (has_entries(file))
      refuse(pid,
             pool_format("its library '%s' was deleted or replaced since "
                         "it started; restart the program",
                         file));
  }
}

void
attach_check(const struct options *options)
{
  const size_t pid = options->run.process;
  const char *path = pool_format("/proc/%zu/exe", pid);
  char gdb[PATH_MAX];
  char state = process_state(pid);
  if (process_has_ended(pid))
    refuse(pid, state == 'Z' ? "it has ended" : "there is no such process");
  if (state == 'T')
    refuse(pid, "it is stopped");
  if (state == 't')
    refuse(pid, "a debugger has stopped it");
  if (!program_find("gdb", getenv("PATH"), gdb))
    refuse(pid, "gdb is required but not installed");
  if (access(path, R_OK) != 0)
    refuse(pid, strerror(errno));
  const char *reason = file_reason(path);
  if (reason != NULL)
    refuse(pid, reason);
  check_libraries(pid);
}

/* Writes TEXT as it stands within a string of gdb. */
static void
write_quoted(struct sink *script, const char *text)
{
  for (; *text != '\0'; text++)
    sink_format(script, strchr("\"\\", *text) != NULL ? "\\%c" : "%c", *text);
}

/* Returns the script that brings LIBRARY, and has it count as RUN says; or
 * that calls its function END, unless that is 0. */
static const char *
make_script(const struct run_options *run, const char *library,
            const char *file, unsigned long long end)
{
  const struct run_setting *setting = run_settings(run, file);
  struct string_sink script;
  string_sink_init(&script);
  sink_format(&script.sink, "set $end = %llu\nset $path = \"", end);
  write_quoted(&script.sink, library);
  sink_text(&script.sink, "\"\nset $settings = \"");
  for (; setting->name != NULL; setting++)
    if (setting->value != NULL) {
      sink_format(&script.sink, "%s=", setting->name);
      write_quoted(&script.sink, setting->value);
      sink_text(&script.sink, "\\n");
    }
  sink_format(&script.sink, "\"\n%s", attach_script);
  return string_sink_text(&script);
}

/* ---- end --------------------------------------------------------------- */

/* Waits for a signal that ends this, SECONDS, or the end of the process. */
static void
wait_for_end(size_t pid, size_t seconds)
{
  const int64_t begin = clock_nanos(CLOCK_MONOTONIC);
  while (!process_has_ended(pid) &&
         (seconds == 0 ||
          (uint64_t)(clock_nanos(CLOCK_MONOTONIC) - begin) / 1000000000 <
              seconds))
    if (run_signals_end(LOOK_MILLISECONDS * 1000000))
      return;
}

void
attach_run(const struct options *options, struct run_files *files,
           struct sink *sink)
{
  const struct run_options *run = &options->run;
  const size_t pid = run->process;
  char library[PATH_MAX];
  struct debugger d;
  run_signals_block(NULL);
  monitor_find(library);
  run_debugger(&d, pid, make_script(run, library, files->path, 0));
  if (d.address == 0)
    refuse(pid, d.error);
  run_files_settle(files, true);
  if (!run->quiet) {
    sink_format(sink, "profiling process %zu; Ctrl-C writes the file\n", pid);
    sink_flush(sink);
  }
  wait_for_end(pid, run->seconds);
  if (!has_library(pid, library)) /* it is another program now */
    return;
  run_debugger(&d, pid, make_script(run, library, files->path, d.address));
  if (d.status != 0 && !process_has_ended(pid))
    fail_with(MPROF_CANNOT_RUN, "process %zu is still being profiled: %s",
              pid, d.error);
}
