/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stress_files.h -- profiles of STRESS_BYTES bytes or so, nearly all of which
 * are one kind of thing: for each field of the format as many as there can
 * be, or one as long as it can be to which all others refer.  Commands read
 * them; none takes more memory than the file bears.
 *
 * The peak is that of the process; not with a sanitizer, which has its own.
 */
#pragma once

#include "attempting.h"
#include "base/input_file.h"
#include "common/pprof_format.h"
#include "profile/writer.h"
#include "scratch_file.h"

#include <sys/resource.h>

/* ---- files ---- */

enum { STRESS_BYTES = 1 << 18 };

/* A file on its way: strings stand behind all else. */
struct stress {
  struct wire_buffer whole, part, inner, strings;
  uint64_t string_count;
  bool mprof; /* with calls */
};

/* The number of the string of LENGTH bytes at TEXT, which is added. */
static inline uint64_t
stress_bytes(struct stress *s, const char *text, size_t length)
{
  wire_put_bytes(&s->strings, PPROF_STRING, text, length);
  return s->string_count++;
}

static inline uint64_t
stress_text(struct stress *s, const char *text)
{
  return stress_bytes(s, text, strlen(text));
}

/* A string of its own for N. */
static inline uint64_t
stress_name(struct stress *s, uint64_t n)
{
  char text[24];
  return stress_bytes(s, text,
                      (size_t)sprintf(text, "%llx", (unsigned long long)n));
}

/* A string of COUNT times TEXT. */
static inline uint64_t
stress_long(struct stress *s, const char *text, size_t count)
{
  size_t length = strlen(text);
  char *whole = pool_alloc(count * length + 1);
  if (whole == NULL)
    abort();
  for (size_t i = 0; i < count; i++)
    memcpy(whole + i * length, text, length);
  uint64_t number = stress_bytes(s, whole, count * length);
  pool_free(whole);
  return number;
}

static inline void
stress_send(struct stress *s, uint32_t field)
{
  wire_put_message(&s->whole, field, &s->part);
}

static inline void
stress_type(struct stress *s, const char *type, const char *unit)
{
  wire_put_number(&s->part, PPROF_VALUE_TYPE_NAME, stress_text(s, type));
  wire_put_number(&s->part, PPROF_VALUE_TYPE_UNIT, stress_text(s, unit));
  stress_send(s, PPROF_SAMPLE_TYPE);
}

static inline void
stress_comment(struct stress *s, const char *text)
{
  wire_put_number(&s->whole, PPROF_COMMENT, stress_text(s, text));
}

/* Begins a file; LANGUAGE is "lisp", "c", or NULL for another program's. */
static inline void
stress_begin(struct stress *s, const char *language)
{
  char text[32];
  memset(s, 0, sizeof *s);
  stress_text(s, "");
  stress_type(s, "alloc_objects", "count");
  stress_type(s, "alloc_space", "bytes");
  s->mprof = language != NULL;
  if (!s->mprof)
    return;
  stress_type(s, "activations", "count");
  stress_comment(s, "mprof.version=3");
  snprintf(text, sizeof text, "mprof.language=%s", language);
  stress_comment(s, text);
}

/* Appends the strings: then WHOLE is the file. */
static inline void
stress_end(struct stress *s)
{
  struct wire_buffer *to = &s->whole;
  ARRAY_ROOM(to->bytes, to->capacity, to->count + s->strings.count);
  memcpy(to->bytes + to->count, s->strings.bytes, s->strings.count);
  to->count += s->strings.count;
}

static inline void
stress_release(struct stress *s)
{
  pool_free(s->whole.bytes);
  pool_free(s->part.bytes);
  pool_free(s->inner.bytes);
  pool_free(s->strings.bytes);
}

/* Whether less than a SHARE-th of the bytes are there. */
static inline bool
stress_room(const struct stress *s, size_t share)
{
  return s->whole.count + s->strings.count < STRESS_BYTES / share;
}

static inline void
stress_function(struct stress *s, uint64_t id, uint64_t name, uint64_t file)
{
  wire_put_number(&s->part, PPROF_FUNCTION_ID, id);
  wire_put_number(&s->part, PPROF_FUNCTION_NAME, name);
  wire_put_number(&s->part, PPROF_FUNCTION_FILE, file);
  stress_send(s, PPROF_FUNCTION);
}

/* A location of COUNT lines of FUNCTION, the first of which is LINE. */
static inline void
stress_location(struct stress *s, uint64_t id, uint64_t function,
                uint64_t line, size_t count)
{
  wire_put_number(&s->part, PPROF_LOCATION_ID, id);
  for (size_t i = 0; i < count; i++) {
    wire_put_number(&s->inner, PPROF_LINE_FUNCTION, function);
    wire_put_number(&s->inner, PPROF_LINE_NUMBER, line + i);
    wire_put_message(&s->part, PPROF_LOCATION_LINE, &s->inner);
  }
  stress_send(s, PPROF_LOCATION);
}

/* A function of that NAME and its location, both with the number ID. */
static inline void
stress_both(struct stress *s, uint64_t id, uint64_t name)
{
  stress_function(s, id, name, 0);
  stress_location(s, id, id, id, 1);
}

static inline void
stress_label(struct stress *s, uint64_t key, uint64_t text, uint64_t number)
{
  wire_put_number(&s->inner, PPROF_LABEL_KEY, key);
  wire_put_number(&s->inner, PPROF_LABEL_TEXT, text);
  wire_put_number(&s->inner, PPROF_LABEL_NUMBER, number);
  wire_put_message(&s->part, PPROF_SAMPLE_LABEL, &s->inner);
}

/* A sample of COUNT locations IDS with the labels that are there. */
static inline void
stress_sample(struct stress *s, const uint64_t *ids, size_t count)
{
  static const uint64_t values[] = {1, 16, 0};
  wire_put_packed(&s->part, PPROF_SAMPLE_LOCATIONS, ids, count);
  wire_put_packed(&s->part, PPROF_SAMPLE_VALUES, values, s->mprof ? 3 : 2);
  stress_send(s, PPROF_SAMPLE);
}

static inline void
stress_call(struct stress *s, uint64_t caller, uint64_t callee)
{
  stress_sample(s, (const uint64_t[]){callee, caller}, 2);
}

/* A sample of COUNT locations, 1 to PERIOD again and again. */
static inline void
stress_deep(struct stress *s, size_t count, uint64_t period)
{
  uint64_t *ids = pool_zeroed(count, sizeof *ids);
  if (ids == NULL)
    abort();
  for (size_t i = 0; i < count; i++)
    ids[i] = i % period + 1;
  stress_sample(s, ids, count);
  pool_free(ids);
}

/* ---- commands ---- */

enum { PROGRAM_BYTES = 16 << 20, SECONDS = 30 };
static char output[] = "/tmp/mprof-test-XXXXXX"; /* of merge */

/* All files are read by the first ones; the others take turns. */
enum { FOR_EACH_FILE = 3, IN_TURN = 3 };
static const char *const commands[][8] = {
    {"report", "-verbose", "-leaktable", "--callers=100"},
    {"report", "-verbose", "--by=line", "--system=show", "--width=100"},
    {"export", "--format=html"},
    {"export", "--format=folded", "--frames=types,threads,phases"},
    {"export", "--format=lisp", "--tables=contexts"},
    {"export", "--format=pprof"},
    {"export", "--format=dot"},
    {"export", "--format=speedscope"},
    {"export", "--format=json"},
    {"export", "--format=csv", "--tables=contexts"},
    {"export", "--format=csv", "--tables=arcs"},
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
  static size_t turn;
  turn = (turn + 1) % IN_TURN;
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (i < FOR_EACH_FILE || i % IN_TURN == turn)
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
