/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of mprof.h: an argument list as one string in, text out
 * as strings.  All forms share one run, which keeps nothing behind.
 */

#include "mprof.h"

#include "command/command.h"
#include "command/load.h"
#include "images/timeline.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Each of what the entry points give out has a pool of its own. */

/* What mprof_profile_open gives out. */
struct handle {
  struct pool pool; /* which the profile is in */
  struct profile profile;
  struct mprof_error error; /* why it could not be opened, if so */
};

/* What mprof_timeline_open gives out. */
struct timeline_handle {
  pthread_mutex_t one; /* who uses it has it */
  struct timeline timeline;
};

/* What mprof_run_command gives out. */
struct result {
  struct pool pool; /* which the output is in */
  struct outcome outcome;
  const char *output; /* NULL when memory ran out */
  size_t length;      /* of the output */
};

/* Returns the lines of TEXT, which may be NULL, and sets *COUNT to how many
 * they are. */
static const char **
split_lines(const char *text, size_t *count)
{
  char *rest = pool_text(text == NULL ? "" : text);
  const char **lines = pool_zeroed(strlen(rest) + 1, sizeof *lines);
  for (*count = 0; rest != NULL && *rest != '\0'; ++*count)
    lines[*count] = strsep(&rest, "\n");
  return lines;
}

/* ---- results ---- */

/* A command line, and what it is run on. */
struct running {
  const char *arguments;
  const struct open_profile *open; /* NULL: files that are named */
  const struct handle *handles[2]; /* that are open, and its base; or NULL */
  struct result *result;
};

/* Runs the command line, in an attempt in the pool of its result; fails as
 * the profile did if that could not be opened.  A program that reads the
 * output is told there that nothing is chosen. */
static void
run(void *closure)
{
  const struct running *running = closure;
  size_t count;
  const char **lines = split_lines(running->arguments, &count);
  struct result *result = running->result;
  struct outcome *outcome = &result->outcome;
  struct string_sink output;
  for (int i = 0; i < 2; i++)
    if (running->handles[i] != NULL &&
        running->handles[i]->error.code != MPROF_OK)
      fail_again(&running->handles[i]->error);
  string_sink_init(&output);
  command_run((int)count, lines, running->open, &output.sink, "the output",
              outcome);
  if (outcome->error.code == MPROF_NOTHING && outcome->is_read) {
    sink_format(&output.sink, "mprof: %s\n", outcome->error.message);
    *outcome = (struct outcome){.error.offset = MPROF_NO_OFFSET};
  }
  result->output = string_sink_text(&output);
  result->length = output.length;
}

/* Returns the result of RUNNING, or NULL when memory runs out. */
static void *
result_of(struct running *running)
{
  struct mprof_error error;
  struct result *result = running->result = calloc(1, sizeof *result);
  if (result != NULL && !attempt(&result->pool, run, running, &error))
    result->outcome = (struct outcome){.status = 1, .error = error};
  return result;
}

void *
mprof_run_command(const char *arguments)
{
  return result_of(&(struct running){.arguments = arguments});
}

int
mprof_result_status(void *result)
{
  return result == NULL ? 1 : ((struct result *)result)->outcome.status;
}

const char *
mprof_result_output(void *result)
{
  const struct result *r = result;
  return r == NULL || r->output == NULL ? "" : r->output;
}

uint64_t
mprof_result_length(void *result)
{
  return result == NULL ? 0 : ((struct result *)result)->length;
}

const char *
mprof_result_error(void *result)
{
  return result == NULL ? "out of memory"
                        : outcome_line(&((struct result *)result)->outcome);
}

int64_t
mprof_result_offset(void *result)
{
  return result == NULL ? MPROF_NO_OFFSET
                        : ((struct result *)result)->outcome.error.offset;
}

const char *
mprof_result_path(void *result)
{
  return result == NULL ? "" : ((struct result *)result)->outcome.error.path;
}

int
mprof_result_is_of_output(void *result)
{
  const struct result *r = result;
  return r != NULL && r->outcome.error.code == MPROF_CANNOT_WRITE;
}

void
mprof_result_free(void *result)
{
  struct result *r = result;
  if (r == NULL)
    return;
  pool_release(&r->pool);
  free(r);
}

/* ---- profiles ---- */

/* What fills a handle, in an attempt in its pool. */
struct opening {
  struct handle *handle;
  profile_fill *fill;
  void *closure;
};

static void
fill(void *closure)
{
  const struct opening *opening = closure;
  opening->fill(&opening->handle->profile, opening->closure);
}

/* Returns a handle of the profile that FILL makes, or of why it has failed;
 * NULL when memory runs out. */
static struct handle *
new_handle(profile_fill *filling, void *closure)
{
  struct handle *handle = calloc(1, sizeof *handle);
  struct opening opening = {handle, filling, closure};
  if (handle != NULL)
    attempt(&handle->pool, fill, &opening, &handle->error);
  return handle;
}

static void
fill_from_files(struct profile *profile, void *names)
{
  size_t count;
  const char **lines = split_lines(names, &count);
  profile_load(profile, lines, count);
}

void *
mprof_profile_open(const char *names)
{
  return new_handle(fill_from_files, (void *)(uintptr_t)names);
}

static void
fill_from_memory(struct profile *profile, void *name)
{
  const struct input_list list = {.files = name, .count = 1};
  profile_load_list(profile, &list, false, NULL);
}

void *
mprof_profile_open_octets(const void *octets, uint64_t length, void *timeline)
{
  struct timeline_handle *timed = timeline;
  struct input_name name = {
      .path = "memory",
      .options = {.octets = {octets, length},
                  .timeline = timed == NULL ? NULL : &timed->timeline}};
  if (timed != NULL)
    pthread_mutex_lock(&timed->one);
  struct handle *handle = new_handle(fill_from_memory, &name);
  if (timed != NULL)
    pthread_mutex_unlock(&timed->one);
  if (handle != NULL)
    handle->error.path[0] = '\0'; /* they are in no file */
  return handle;
}

void *
profile_handle(profile_fill *filling, void *closure,
               struct mprof_error *error)
{
  struct handle *handle = new_handle(filling, closure);
  if (handle == NULL)
    *error = (struct mprof_error){MPROF_NO_MEMORY, MPROF_NO_OFFSET,
                                  "out of memory", ""};
  else
    *error = handle->error;
  if (error->code == MPROF_OK)
    return handle;
  mprof_profile_close(handle);
  return NULL;
}

void *
mprof_profile_command(void *profile, void *base, const char *arguments,
                      const uint64_t *samples, uint64_t count)
{
  const struct handle *handle = profile, *other = base;
  if (handle == NULL)
    return NULL;
  const struct open_profile open = {&handle->profile, samples, count,
                                    other == NULL ? NULL : &other->profile};
  return result_of(
      &(struct running){arguments, &open, {handle, other}, NULL});
}

void
mprof_profile_close(void *profile)
{
  struct handle *handle = profile;
  if (handle == NULL)
    return;
  pool_release(&handle->pool);
  free(handle);
}

/* ---- timelines ---- */

void *
mprof_timeline_open(uint64_t nanoseconds)
{
  struct timeline_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL)
    return NULL;
  pthread_mutex_init(&handle->one, NULL);
  handle->timeline.interval = nanoseconds;
  return handle;
}

void
mprof_timeline_take(void *timeline, const void *octets, uint64_t length,
                    uint64_t generation, uint64_t nanoseconds,
                    uint64_t collections)
{
  struct timeline_handle *handle = timeline;
  pthread_mutex_lock(&handle->one);
  timeline_read(&handle->timeline, "memory",
                (struct input_octets){octets, length}, generation,
                nanoseconds, collections);
  pthread_mutex_unlock(&handle->one);
}

void
mprof_timeline_close(void *timeline)
{
  struct timeline_handle *handle = timeline;
  timeline_release(&handle->timeline);
  pthread_mutex_destroy(&handle->one);
  free(handle);
}

/* ---- the terminal ---- */

int
mprof_terminal_width(int descriptor)
{
  const char *columns = getenv("COLUMNS");
  struct winsize size;
  if (isatty(descriptor) == 0)
    return -1;
  if (columns != NULL && atoi(columns) > 0)
    return atoi(columns);
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
