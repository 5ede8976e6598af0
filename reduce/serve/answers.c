/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From snapshots to what is sent. */

#include "export/heap_profile.h"
#include "serve/serving.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void
add_headers(struct MHD_Response *response, const char *type)
{
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

struct MHD_Response *
answer_text(const char *type, char *text, size_t length)
{
  struct MHD_Response *response = MHD_create_response_from_buffer(
      text == NULL ? 0 : length, text, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) {
    free(text);
    return NULL;
  }
  add_headers(response, type);
  return response;
}

/* pprof shows the text of an error only with this header (google/pprof,
 * internal/driver/fetch.go, statusCodeError). */
struct MHD_Response *
answer_error(unsigned *status, unsigned code, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    return NULL;
  char *line = realloc(text, (size_t)length + 2);
  if (line == NULL) {
    free(text);
    return NULL;
  }
  strcpy(line + length, "\n");
  struct MHD_Response *response = answer_text("text/plain; charset=utf-8",
                                              line, (size_t)length + 1);
  if (response != NULL)
    MHD_add_response_header(response, "X-Go-Pprof", "1");
  *status = code;
  return response;
}

/* ---- snapshots ---- */

bool
base_take(struct server *server, unsigned how, struct base *base,
          char *message)
{
  const struct program *program = server->program;
  struct program_snapshot snapshot = {0};
  struct program_status before, after;
  program->status(program->closure, &before);
  if (!program->snapshot(program->closure, how, &snapshot, message))
    return false;
  program->status(program->closure, &after);
  base->profile =
      snapshot.profile != NULL
          ? snapshot.profile
          : mprof_profile_open_octets(snapshot.octets, snapshot.length);
  base->time_nanos = snapshot.time_nanos;
  base->forgotten = before.resets != after.resets;
  base->resets = after.resets;
  if (snapshot.release != NULL)
    snapshot.release(&snapshot);
  if (base->profile == NULL)
    strcpy(message, "out of memory");
  return base->profile != NULL;
}

void
base_release(struct base *base)
{
  mprof_profile_close(base->profile);
  *base = (struct base){0};
}

/* ---- what is made of them ---- */

/* The output of RESULT, which the response frees. */
static struct MHD_Response *
answer_result(void *result, const char *type, unsigned *status)
{
  struct MHD_Response *response;
  if (mprof_result_status(result) != 0) {
    response = answer_error(status, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s",
                            mprof_result_error(result));
    mprof_result_free(result);
    return response;
  }
  response = MHD_create_response_from_buffer_with_free_callback_cls(
      mprof_result_length(result), (void *)mprof_result_output(result),
      mprof_result_free, result);
  if (response == NULL) {
    mprof_result_free(result);
    return NULL;
  }
  *status = MHD_HTTP_OK;
  add_headers(response, type);
  return response;
}

/* A difference is as of its end, as Go's is.  Where the figures were forgotten
 * in between, it is all that came since. */
struct MHD_Response *
answer_heap(struct request *request, const struct base *now,
            const struct base *before, bool subtract_use, const char *name)
{
  char disposition[64];
  const bool known = before != NULL && before->profile != NULL;
  const bool same = known && before->resets == now->resets &&
                    !before->forgotten && !now->forgotten;
  void *heap = mprof_heap_open(now->profile, same ? before->profile : NULL,
                               subtract_use);
  mprof_heap_choose(heap, HEAP_ALL, request->type_frames, NULL);
  void *result = mprof_heap_write(
      heap, 0, mprof_heap_samples(heap), request->in_use, now->time_nanos,
      known ? now->time_nanos - before->time_nanos : 0);
  struct MHD_Response *response =
      answer_result(result, "application/octet-stream", &request->status);
  mprof_heap_close(heap);
  snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"",
           name);
  if (response != NULL)
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
                            disposition);
  return response;
}

struct MHD_Response *
answer_command(const struct base *now, const char *arguments,
               const char *type, unsigned *status)
{
  return answer_result(
      mprof_profile_command(now->profile, arguments, NULL, 0), type, status);
}

static void
release_snapshot(void *closure)
{
  struct program_snapshot *snapshot = closure;
  if (snapshot->release != NULL)
    snapshot->release(snapshot);
  free(snapshot);
}

struct MHD_Response *
answer_file(struct server *server, unsigned how, unsigned *status)
{
  const struct program *program = server->program;
  char message[PROGRAM_MESSAGE_LENGTH] = "out of memory";
  struct program_snapshot *snapshot = calloc(1, sizeof *snapshot);
  struct MHD_Response *response = NULL;
  if (snapshot == NULL ||
      !program->snapshot(program->closure, how, snapshot, message)) {
    free(snapshot);
    return answer_error(status, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s",
                        message);
  }
  response = MHD_create_response_from_buffer_with_free_callback_cls(
      snapshot->length, (void *)snapshot->octets, release_snapshot, snapshot);
  if (response == NULL) {
    release_snapshot(snapshot);
    return NULL;
  }
  *status = MHD_HTTP_OK;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                          "application/octet-stream");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
                          "attachment; filename=\"mprof.data\"");
  return response;
}
