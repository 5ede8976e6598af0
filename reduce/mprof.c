/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of mprof.h: an argument list as one string in, text out
 * as strings.  All forms share one run, which keeps nothing behind.
 */

#include "mprof.h"

#include "base/array.h"
#include "command/command.h"
#include "command/load.h"
#include "handles.h"
#include "pprof/writer.h"

/* The lines of a text. */
struct lines {
  const char **items;
  size_t count;
};

static struct lines
split_lines(const char *text)
{
  char *rest = pool_text(text == NULL ? "" : text);
  struct lines lines = {pool_zeroed(strlen(rest) + 1, sizeof *lines.items),
                        0};
  while (rest != NULL && *rest != '\0')
    lines.items[lines.count++] = strsep(&rest, "\n");
  return lines;
}

/* ---- results ---- */

void *
result_new(attempt_function *fill, struct filling *filling)
{
  struct mprof_error error;
  struct result *result = filling->result = calloc(1, sizeof *result);
  if (result != NULL && !attempt(&result->pool, fill, filling, &error)) {
    result->output = result->line = NULL;
    result->error = NULL;
    result->status = 1;
  }
  return result;
}

void
result_take(struct result *result, struct string_sink *output, int status,
            const char *line, const struct mprof_error *error)
{
  result->output = string_sink_text(output);
  result->length = output->length;
  result->status = status;
  result->line = pool_text(line);
  if (error != NULL && error->code != MPROF_OK) {
    struct mprof_error *copy = pool_zeroed(1, sizeof *copy);
    *copy = *error;
    result->error = copy;
  }
}

static void
fill_by_command(void *closure)
{
  const struct filling *filling = closure;
  const struct lines lines = split_lines(filling->arguments);
  struct outcome outcome;
  struct string_sink output;
  string_sink_init(&output);
  command_run((int)lines.count, lines.items, filling->open, &output.sink,
              "the output", &outcome);
  result_take(filling->result, &output, outcome.status,
              outcome_line(&outcome), &outcome.error);
}

void
result_fail(struct result *result, const struct mprof_error *error)
{
  struct string_sink output;
  string_sink_init(&output);
  result_take(result, &output, 1, error->message, error);
}

void *
mprof_run_command(const char *arguments)
{
  struct filling filling = {.arguments = arguments};
  return result_new(fill_by_command, &filling);
}

int
mprof_result_status(void *result)
{
  return result == NULL ? 1 : ((struct result *)result)->status;
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
  const struct result *r = result;
  return r == NULL || r->output == NULL ? 0 : r->length;
}

const char *
mprof_result_error(void *result)
{
  const struct result *r = result;
  return r == NULL || r->line == NULL ? "out of memory" : r->line;
}

int64_t
mprof_result_offset(void *result)
{
  const struct result *r = result;
  return r == NULL || r->error == NULL ? MPROF_NO_OFFSET : r->error->offset;
}

const char *
mprof_result_path(void *result)
{
  const struct result *r = result;
  return r == NULL || r->error == NULL ? "" : r->error->path;
}

int
mprof_result_is_of_output(void *result)
{
  const struct result *r = result;
  return r != NULL && r->error != NULL &&
         r->error->code == MPROF_CANNOT_WRITE;
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
  const char *names;
  struct input_octets octets;
  struct timeline_handle *timeline;
  profile_fill *fill;
  void *closure;
};

static struct handle *
new_handle(attempt_function *open, struct opening *opening)
{
  struct handle *handle = opening->handle = calloc(1, sizeof *handle);
  if (handle != NULL)
    attempt(&handle->pool, open, opening, &handle->error);
  return handle;
}

static void
open_names(void *closure)
{
  const struct opening *opening = closure;
  const struct lines lines = split_lines(opening->names);
  profile_load(&opening->handle->profile, lines.items, lines.count,
               NULL);
}

void *
mprof_profile_open(const char *names)
{
  struct opening opening = {.names = names};
  return new_handle(open_names, &opening);
}

static void
open_octets(void *closure)
{
  const struct opening *opening = closure;
  profile_load_octets(
      &opening->handle->profile, opening->octets,
      opening->timeline == NULL ? NULL : &opening->timeline->timeline);
}

void *
mprof_profile_open_octets(const void *octets, uint64_t length, void *timeline)
{
  struct opening opening = {.octets = {octets, length}, .timeline = timeline};
  if (opening.timeline != NULL)
    pthread_mutex_lock(&opening.timeline->one);
  struct handle *handle = new_handle(open_octets, &opening);
  if (handle != NULL)
    handle->error.path[0] = '\0'; /* they are in no file */
  if (opening.timeline != NULL)
    pthread_mutex_unlock(&opening.timeline->one);
  return handle;
}

static void
open_filled(void *closure)
{
  const struct opening *opening = closure;
  opening->fill(&opening->handle->profile, opening->closure);
}

void *
profile_handle(profile_fill *fill, void *closure, struct mprof_error *error)
{
  struct opening opening = {.fill = fill, .closure = closure};
  struct handle *handle = new_handle(open_filled, &opening);
  if (handle == NULL)
    mprof_error_no_memory(error);
  else
    *error = handle->error;
  if (error->code == MPROF_OK)
    return handle;
  mprof_profile_close(handle);
  return NULL;
}

static void
fill_from_profile(void *closure)
{
  const struct filling *filling = closure;
  const struct handle *base = filling->base;
  if (filling->handle->error.code != MPROF_OK)
    result_fail(filling->result, &filling->handle->error);
  else if (base != NULL && base->error.code != MPROF_OK)
    result_fail(filling->result, &base->error);
  else
    fill_by_command(closure);
}

void *
mprof_profile_command(void *profile, const char *arguments,
                      const uint64_t *samples, uint64_t count)
{
  const struct handle *handle = profile;
  if (handle == NULL)
    return NULL;
  const struct open_profile open = {
      .profile = &handle->profile, .samples = samples, .sample_count = count};
  struct filling filling = {
      .arguments = arguments, .open = &open, .handle = handle};
  return result_new(fill_from_profile, &filling);
}

void *
mprof_profile_compare(void *profile, void *base, const char *arguments)
{
  const struct handle *handle = profile, *other = base;
  if (handle == NULL || other == NULL)
    return NULL;
  const struct open_profile open = {.profile = &handle->profile,
                                    .base = &other->profile};
  struct filling filling = {.arguments = arguments,
                            .open = &open,
                            .handle = handle,
                            .base = other};
  return result_new(fill_from_profile, &filling);
}

static void
fill_with_profile(void *closure)
{
  const struct filling *filling = closure;
  const struct handle *handle = filling->handle;
  struct string_sink output;
  if (handle->error.code != MPROF_OK) {
    result_fail(filling->result, &handle->error);
    return;
  }
  string_sink_init(&output);
  profile_write(&handle->profile, false, &output.sink);
  result_take(filling->result, &output, 0, "", NULL);
}

void *
mprof_profile_write(void *profile)
{
  struct filling filling = {.handle = profile};
  return profile == NULL ? NULL : result_new(fill_with_profile, &filling);
}

int64_t
mprof_profile_time(void *profile)
{
  return profile == NULL ? 0 : ((struct handle *)profile)->profile.time_nanos;
}

int64_t
mprof_profile_duration(void *profile)
{
  return profile == NULL ? 0
                         : ((struct handle *)profile)->profile.duration_nanos;
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
