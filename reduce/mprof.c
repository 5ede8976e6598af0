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
  struct pool pool; /* which the texts are in */
  int status;
  int64_t offset;
  const char *output; /* NULL when memory ran out, as is error */
  size_t length;      /* of the output */
  const char *error;
};

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

/* What fills a result, in an attempt in its pool. */
struct filling {
  struct result *result;
  const char *arguments;
  const struct open_profile *open;
  const struct handle *handle;
  const struct heap_handle *heap;
  uint64_t first, count;
  struct heap_writing how;
};

/* A result that FILL makes, for which it gets CLOSURE. */
static void *
new_result(attempt_function *fill, struct filling *filling)
{
  struct mprof_error error;
  struct result *result = filling->result = calloc(1, sizeof *result);
  if (result != NULL && !attempt(&result->pool, fill, filling, &error)) {
    result->output = result->error = NULL;
    result->status = 1;
    result->offset = MPROF_NO_OFFSET;
  }
  return result;
}

/* Takes what was written to OUTPUT, and LINE, which says what went wrong. */
static void
take_output(struct result *result, struct string_sink *output, int status,
            const char *line, int64_t offset)
{
  result->output = string_sink_text(output);
  result->length = output->length;
  result->status = status;
  result->error = pool_text(line);
  result->offset = offset;
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
  take_output(filling->result, &output, outcome.status,
              outcome_line(&outcome), outcome.error.offset);
}

/* What a result is where there is nothing but an error. */
static void
fill_by_error(struct result *result, const struct mprof_error *error)
{
  struct string_sink output;
  string_sink_init(&output);
  take_output(result, &output, 1, error->message, error->offset);
}

void *
mprof_run_command(const char *arguments)
{
  struct filling filling = {.arguments = arguments};
  return new_result(fill_by_command, &filling);
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
  pool_release(&r->pool);
  free(r);
}

/* ---- profiles ---- */

/* What mprof_profile_open gives out. */
struct handle {
  struct pool pool; /* which the profile is in */
  struct profile profile;
  struct mprof_error error; /* why it could not be opened, if so */
};

/* What fills a handle, in an attempt in its pool. */
struct opening {
  struct handle *handle;
  const char *names;
  struct input_octets octets;
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
  profile_load(&opening->handle->profile, lines.items, lines.count, HEAP_BOTH,
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
  profile_load_octets(&opening->handle->profile, opening->octets);
}

void *
mprof_profile_open_octets(const void *octets, uint64_t length)
{
  struct opening opening = {.octets = {octets, length}};
  return new_handle(open_octets, &opening);
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
  if (filling->handle->error.code == MPROF_OK)
    fill_by_command(closure);
  else
    fill_by_error(filling->result, &filling->handle->error);
}

void *
mprof_profile_command(void *profile, const char *arguments,
                      const uint64_t *samples, uint64_t count)
{
  const struct handle *handle = profile;
  if (handle == NULL)
    return NULL;
  const struct open_profile open = {&handle->profile, samples, count};
  struct filling filling = {
      .arguments = arguments, .open = &open, .handle = handle};
  return new_result(fill_from_profile, &filling);
}

static void
fill_with_profile(void *closure)
{
  const struct filling *filling = closure;
  const struct handle *handle = filling->handle;
  struct string_sink output;
  if (handle->error.code != MPROF_OK) {
    fill_by_error(filling->result, &handle->error);
    return;
  }
  string_sink_init(&output);
  profile_write(&handle->profile, false, &output.sink);
  take_output(filling->result, &output, 0, "", MPROF_NO_OFFSET);
}

void *
mprof_profile_write(void *profile)
{
  struct filling filling = {.handle = profile};
  return profile == NULL ? NULL : new_result(fill_with_profile, &filling);
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

/* ---- heap profiles ---- */

/* What mprof_heap_open gives out. */
struct heap_handle {
  struct pool pool; /* which it is in */
  struct heap_profile heap;
  struct mprof_error error;
  unsigned columns;
  bool type_frames;
  const char *comments; /* not owned */
};

static void
init_heap(void *heap)
{
  heap_profile_init(heap);
}

void *
mprof_heap_open(void)
{
  struct heap_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL)
    return NULL;
  handle->columns = HEAP_ALL;
  attempt(&handle->pool, init_heap, &handle->heap, &handle->error);
  return handle;
}

/* What is added to a heap profile. */
struct addition {
  struct heap_handle *heap;
  const struct handle *profile;
  int sign;
  unsigned columns;
};

static void
add_to_heap(void *closure)
{
  const struct selection_options all = {0};
  const struct addition *addition = closure;
  const struct profile *profile = &addition->profile->profile;
  struct heap_handle *heap = addition->heap;
  struct frame_table frames = {0};
  struct selection selection = {0};
  frame_table_init(&frames, profile);
  selection_init(&selection, profile, &frames, &all);
  struct pool *before = pool_use(&heap->pool);
  heap_profile_add(&heap->heap, &selection, addition->sign,
                   addition->columns);
  heap_profile_end(&heap->heap);
  pool_use(before);
}

void
mprof_heap_add(void *heap, void *profile, int sign, unsigned columns)
{
  struct heap_handle *handle = heap;
  struct addition addition = {handle, profile, sign, columns};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (handle == NULL || profile == NULL || handle->error.code != MPROF_OK)
    return;
  if (addition.profile->error.code != MPROF_OK)
    handle->error = addition.profile->error;
  else if (!attempt(&pool, add_to_heap, &addition, &error))
    handle->error = error;
  pool_release(&pool);
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

static void
fill_with_heap(void *closure)
{
  const struct filling *filling = closure;
  struct string_sink output;
  if (filling->heap->error.code != MPROF_OK) {
    fill_by_error(filling->result, &filling->heap->error);
    return;
  }
  string_sink_init(&output);
  heap_profile_write(&filling->heap->heap, filling->first, filling->count,
                     &filling->how, &output.sink);
  take_output(filling->result, &output, 0, "", MPROF_NO_OFFSET);
}

void *
mprof_heap_write(void *heap, uint64_t first, uint64_t count, int in_use,
                 int64_t time_nanos, int64_t duration_nanos)
{
  const struct heap_handle *handle = heap;
  if (handle == NULL)
    return NULL;
  struct filling filling = {
      .heap = handle,
      .first = first,
      .count = count,
      .how = {in_use ? HEAP_INUSE_SPACE : HEAP_ALLOC_SPACE, handle->columns,
              handle->type_frames, time_nanos, duration_nanos,
              handle->comments}};
  return new_result(fill_with_heap, &filling);
}

void
mprof_heap_close(void *heap)
{
  struct heap_handle *handle = heap;
  if (handle != NULL)
    pool_release(&handle->pool);
  free(handle);
}
