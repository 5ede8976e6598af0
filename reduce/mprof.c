/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of mprof.h: an argument list as one string in, text out
 * as strings.  All forms share one run, which keeps nothing behind.
 */

#include "mprof.h"

#include "base/array.h"
#include "command/command.h"
#include "command/load.h"
#include "export/heap_profile.h"
#include "pprof/writer.h"
#include "profile_handle.h"

/* What mprof_run_command gives out. */
struct result {
  int status;
  int64_t offset;
  char *output; /* owned, as is error; NULL when memory ran out */
  size_t length; /* of the output */
  char *error;
};

/* The lines of a text. */
struct lines {
  char *copy;         /* owned, with a zero in the place of each newline */
  const char **items; /* owned; NULL when memory ran out */
  size_t count;
};

static void
lines_init(struct lines *lines, const char *text)
{
  char *rest = lines->copy = strdup(text == NULL ? "" : text);
  lines->count = 0;
  lines->items = rest == NULL
                     ? NULL
                     : array_zeroed(strlen(rest) + 1, sizeof *lines->items);
  while (lines->items != NULL && rest != NULL && *rest != '\0')
    lines->items[lines->count++] = strsep(&rest, "\n");
}

static void
lines_release(struct lines *lines)
{
  free(lines->copy);
  free(lines->items);
}

static void
run(struct result *result, const char *arguments,
    const struct open_profile *open)
{
  struct outcome outcome = {.status = 1};
  struct string_sink output;
  struct lines lines;
  string_sink_init(&output);
  lines_init(&lines, arguments);
  if (lines.items == NULL)
    mprof_error_memory(&outcome.error);
  else
    command_run((int)lines.count, lines.items, open, &output.sink,
                "the output", &outcome);
  lines_release(&lines);
  result->output = output.text == NULL ? strdup("") : output.text;
  result->length = output.length;
  result->error = strdup(outcome_line(&outcome));
  result->status = outcome.status;
  result->offset = outcome.error.offset;
  if (result->output == NULL || result->error == NULL) {
    free(result->output);
    free(result->error);
    result->output = result->error = NULL;
    result->status = 1;
  }
}

int
mprof_command(const char *arguments, char **output, char **error)
{
  struct result result;
  run(&result, arguments, NULL);
  if (output != NULL)
    *output = result.output;
  else
    free(result.output);
  if (error != NULL)
    *error = result.error;
  else
    free(result.error);
  return result.status;
}

void
mprof_string_free(char *string)
{
  free(string);
}

void *
mprof_run_command(const char *arguments)
{
  struct result *result = calloc(1, sizeof *result);
  if (result != NULL)
    run(result, arguments, NULL);
  return result;
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
  return r == NULL || r->error == NULL ? "out of memory" : r->error;
}

int64_t
mprof_result_offset(void *result)
{
  const struct result *r = result;
  return r == NULL ? MPROF_NO_OFFSET : r->offset;
}

void
mprof_result_free(void *result)
{
  struct result *r = result;
  if (r == NULL)
    return;
  free(r->output);
  free(r->error);
  free(r);
}

/* Makes OUTPUT that of RESULT, with what went wrong. */
static void
take_output(struct result *result, const struct string_sink *output,
            const struct mprof_error *error)
{
  const bool good = error->code == MPROF_OK;
  result->output = output->text;
  result->length = output->length;
  result->status = good ? 0 : 1;
  result->offset = error->offset;
  result->error = strdup(good ? "" : error->message);
}

/* What mprof_profile_open gives out. */
struct handle {
  struct profile profile;
  struct mprof_error error; /* why it could not be opened, if so */
};

static struct handle *
new_handle(void)
{
  struct handle *handle = calloc(1, sizeof *handle);
  if (handle != NULL)
    mprof_error_clear(&handle->error);
  return handle;
}

void *
mprof_profile_open(const char *names)
{
  struct handle *handle = new_handle();
  struct lines lines;
  lines_init(&lines, names);
  if (handle != NULL && lines.items == NULL)
    mprof_error_memory(&handle->error);
  else if (handle != NULL)
    profile_load(&handle->profile, lines.items, lines.count, HEAP_BOTH, NULL,
                 &handle->error);
  lines_release(&lines);
  return handle;
}

void *
mprof_profile_open_octets(const void *octets, uint64_t length)
{
  struct handle *handle = new_handle();
  if (handle != NULL)
    profile_load_octets(&handle->profile,
                        (struct input_octets){octets, length}, false, NULL,
                        &handle->error);
  return handle;
}

void *
profile_handle(struct profile *profile)
{
  struct handle *handle = new_handle();
  if (handle == NULL)
    profile_release(profile);
  else
    handle->profile = *profile;
  return handle;
}

void *
mprof_profile_command(void *profile, const char *arguments,
                      const uint64_t *samples, uint64_t count)
{
  const struct handle *handle = profile;
  struct result *result = calloc(1, sizeof *result);
  if (result == NULL || handle == NULL)
    return result;
  struct open_profile open = {&handle->profile, samples, count};
  if (handle->error.code == MPROF_OK) {
    run(result, arguments, &open);
  } else {
    result->status = 1;
    result->offset = handle->error.offset;
    result->error = strdup(handle->error.message);
  }
  return result;
}

void *
mprof_profile_write(void *profile)
{
  const struct handle *handle = profile;
  struct result *result = calloc(1, sizeof *result);
  struct string_sink output;
  if (result == NULL || handle == NULL)
    return result;
  struct mprof_error error = handle->error;
  string_sink_init(&output);
  if (error.code == MPROF_OK) {
    profile_write(&handle->profile, false, &output.sink);
    if (!sink_flush(&output.sink))
      mprof_error_memory(&error);
  }
  take_output(result, &output, &error);
  return result;
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
  profile_release(&handle->profile);
  free(handle);
}

/* What mprof_heap_open gives out. */
struct heap_handle {
  struct heap_profile heap;
  struct mprof_error error;
  unsigned columns;
  bool type_frames;
  const char *comments; /* not owned */
};

void *
mprof_heap_open(void)
{
  struct heap_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL)
    return NULL;
  mprof_error_clear(&handle->error);
  handle->columns = HEAP_ALL;
  if (!heap_profile_init(&handle->heap))
    mprof_error_memory(&handle->error);
  return handle;
}

void
mprof_heap_add(void *heap, void *profile, int sign, unsigned columns)
{
  const struct selection_options all = {0};
  struct heap_handle *handle = heap;
  const struct handle *added = profile;
  struct frame_table frames = {0};
  struct selection selection = {0};
  if (handle == NULL || added == NULL || handle->error.code != MPROF_OK)
    return;
  struct mprof_error *error = &handle->error;
  if (added->error.code != MPROF_OK)
    *error = added->error;
  else if (!frame_table_init(&frames, &added->profile) ||
           !selection_init(&selection, &added->profile, &frames, &all,
                           error) ||
           !heap_profile_add(&handle->heap, &selection, sign, columns) ||
           !heap_profile_end(&handle->heap))
    mprof_error_memory(error);
  selection_release(&selection);
  frame_table_release(&frames);
}

const char *
mprof_heap_error(void *heap)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? "out of memory" : handle->error.message;
}

uint64_t
mprof_heap_samples(void *heap)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? 0 : handle->heap.sample_count;
}

int64_t
mprof_heap_sum(void *heap, int column, uint64_t first, uint64_t count)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? 0
                        : heap_profile_sum(&handle->heap, first, count,
                                           (enum heap_column)column);
}

void
mprof_heap_choose(void *heap, unsigned columns, int type_frames,
                  const char *comments)
{
  struct heap_handle *handle = heap;
  if (handle == NULL)
    return;
  handle->columns = columns;
  handle->type_frames = type_frames != 0;
  handle->comments = comments;
}

void *
mprof_heap_write(void *heap, uint64_t first, uint64_t count, int in_use,
                 int64_t time_nanos, int64_t duration_nanos)
{
  const struct heap_handle *handle = heap;
  struct result *result = calloc(1, sizeof *result);
  struct string_sink output;
  if (result == NULL || handle == NULL)
    return result;
  struct mprof_error error = handle->error;
  string_sink_init(&output);
  if (error.code == MPROF_OK) {
    heap_profile_write(
        &handle->heap, first, count,
        &(struct heap_writing){in_use ? HEAP_INUSE_SPACE : HEAP_ALLOC_SPACE,
                               handle->columns, handle->type_frames,
                               time_nanos, duration_nanos, handle->comments},
        &output.sink);
    if (!sink_flush(&output.sink))
      mprof_error_memory(&error);
  }
  take_output(result, &output, &error);
  return result;
}

void
mprof_heap_close(void *heap)
{
  struct heap_handle *handle = heap;
  if (handle != NULL)
    heap_profile_release(&handle->heap);
  free(handle);
}
