/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * bounded_command.h -- runs commands on the scratch file, and checks that
 * none takes more memory than the file bears.
 *
 * The peak is that of the process; not with a sanitizer, which has its own.
 */
#pragma once

#include "testing.h"

#include "base/input_file.h"
#include "scratch_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { PROGRAM_BYTES = 16 << 20, SECONDS = 30 };
static char output[] = "/tmp/mprof-test-XXXXXX"; /* of merge */

static const char *const commands[][8] = {
    {"report", "-verbose", "-leaktable", "--callers=100"},
    {"report", "-verbose", "--by=line", "--system=show", "--width=100"},
    {"export", "--format=folded", "--frames=types,threads,phases"},
    {"export", "--format=html"},
    {"export", "--format=lisp", "--tables=contexts"},
    {"export", "--format=pprof"},
    {"export", "--format=dot"},
    {"export", "--format=speedscope"},
    {"export", "--format=json"},
    {"export", "--format=csv", "--tables=contexts"},
    {"export", "--format=csv", "--tables=arcs"},
    {"flamegraph"},
    {"diff", "-verbose", scratch},
    {"merge", "-o", output},
};

/* In the child: the command, within limits that end it where it would take
 * the machine. */
static inline void
run_command(const char *const *command, int errors)
{
  const char *arguments[10] = {"mprof"};
  const struct rlimit seconds = {SECONDS, SECONDS};
  const struct rlimit no_core = {0, 0};
  size_t count = 1;
  int nowhere = open("/dev/null", O_WRONLY);
  while (*command != NULL)
    arguments[count++] = *command++;
  arguments[count] = scratch;
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__
  const struct rlimit memory = {UINT64_C(4) << 30, UINT64_C(4) << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  dup2(nowhere, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(getenv("MPROF"), (char **)(uintptr_t)arguments);
  _exit(127);
}

/* Runs COMMAND on the file of LENGTH bytes, FILE_LENGTH on the disk; REFUSED
 * is what it says then, NULL: it does not. */
static inline void
check_command(const char *const *command, size_t length, size_t file_length,
              const char *refused)
{
  char said[1024];
  int status = -1;
  struct rusage usage;
  const struct input_file file = {.length = length,
                                  .file_bytes = file_length};
  uint64_t most =
      PROGRAM_BYTES + length +
      input_file_memory_limit(&file);
  FILE *errors = tmpfile();
  assert_non_null(errors);
  pid_t child = fork();
  if (child == 0)
    run_command(command, fileno(errors));
  assert_true(child > 0 && wait4(child, &status, 0, &usage) == child);
  rewind(errors);
  said[fread(said, 1, sizeof said - 1, errors)] = '\0';
  fclose(errors);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != (refused != NULL))
    fail_msg("%s %s: status %x: %s", command[0], command[1], status, said);
  if (refused != NULL &&
      (strstr(said, refused) == NULL || strchr(said, '\n')[1] != '\0'))
    fail_msg("%s %s: %s", command[0], command[1], said);
#ifndef __SANITIZE_ADDRESS__
  if ((uint64_t)usage.ru_maxrss * 1024 > most)
    fail_msg("%s %s: %ld KiB, more than %llu", command[0], command[1],
             usage.ru_maxrss, (unsigned long long)most / 1024);
#endif
}

static inline void
check_file(size_t length, size_t file_length, const char *refused)
{
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    check_command(commands[i], length, file_length, refused);
}

static int
make_files(void **state)
{
  int descriptor = mkstemp(output);
  return descriptor < 0 || close(descriptor) != 0 ? -1 : make_scratch(state);
}

static int
remove_files(void **state)
{
  return unlink(output) != 0 ? -1 : remove_scratch(state);
}
