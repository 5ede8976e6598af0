/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests and their answers.
 *
 * The paths of profiles, `gc', `seconds' and `debug' are those of Go's
 * net/http/pprof (golang/go, src/net/http/pprof/pprof.go).
 */

#include "serve/serving.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_SECONDS = 3600 };

/* Returns the value of KEY in the request, or "". */
static const char *
lookup(const struct client *client, enum MHD_ValueKind kind, const char *key)
{
  const char *value =
      MHD_lookup_connection_value(client->connection, kind, key);
  return value == NULL ? "" : value;
}

static const char *
argument(const struct client *client, const char *key)
{
  return lookup(client, MHD_GET_ARGUMENT_KIND, key);
}

/* Reads TEXT as a number, where "" is 0.  Returns whether it is a number of
 * at most MOST. */
static bool
read_number(const char *text, long most, long *number)
{
  *number = strtol(text, NULL, 10);
  return text[strspn(text, "0123456789")] == '\0' && *number <= most;
}

/* ---- answers ---- */

/* Makes RESPONSE the answer.  It is NULL when memory ran out. */
static void
answer(struct client *client, unsigned status, const char *type,
       struct MHD_Response *response)
{
  client->response = response;
  client->status = status;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                          "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

void
answer_text(struct client *client, unsigned status, const char *type,
            char *text, size_t length)
{
  struct MHD_Response *response = MHD_create_response_from_buffer(
      text == NULL ? 0 : length, text, MHD_RESPMEM_MUST_FREE);
  if (response == NULL)
    free(text);
  answer(client, status, type, response);
}

/* pprof shows the text of an error only with this header (google/pprof,
 * internal/driver/fetch.go, statusCodeError). */
void
answer_error(struct client *client, unsigned status, const char *text)
{
  char *line = NULL;
  const int length = asprintf(&line, "%s\n", text);
  answer_text(client, status, "text/plain; charset=utf-8", line,
              (size_t)length);
  MHD_add_response_header(client->response, "X-Go-Pprof", "1");
}

/* Answers with the output of RESULT, as a file called NAME unless that is
 * NULL. The response frees RESULT. */
static void
answer_result(struct client *client, void *result, const char *type,
              const char *name)
{
  char disposition[64];
  if (mprof_result_status(result) != 0) {
    answer_error(client, MHD_HTTP_INTERNAL_SERVER_ERROR,
                 mprof_result_error(result));
    mprof_result_free(result);
    return;
  }
  struct MHD_Response *response =
      MHD_create_response_from_buffer_with_free_callback_cls(
          mprof_result_length(result), (void *)mprof_result_output(result),
          mprof_result_free, result);
  if (response == NULL)
    mprof_result_free(result);
  answer(client, MHD_HTTP_OK, type, response);
  if (name != NULL) {
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"",
             name);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
                            disposition);
  }
}

/* Answers with a heap profile of NOW, or of what came since BEFORE if that
 * has a profile.  If the figures were reset in between, it has all that came
 * since. */
static void
answer_heap(struct client *client, const struct snapshot *now,
            const struct snapshot *before, const char *name)
{
  char line[64];
  const bool same =
      before->profile != NULL && before->status.resets == now->status.resets;
  snprintf(line, sizeof line, "export\n--format=heap\n--value=%s",
           client->in_use ? "kept" : "bytes");
  answer_result(
      client,
      same ? mprof_profile_compare(now->profile, before->profile, line)
           : mprof_profile_command(now->profile, line, NULL, 0),
      "application/octet-stream", name);
}

/* ---- profiles ---- */

/* Sets the status of a request that is refused, and returns WHY. */
static const char *
refuse(struct client *client, unsigned status, const char *why)
{
  client->status = status;
  return why;
}

/* Takes a snapshot whose profile and status are not separated by a reset.  On
 * failure returns false, sets only the status, and MESSAGE says why. */
static bool
take_snapshot(const struct program *program, unsigned how,
              struct snapshot *snapshot, char *message)
{
  uint64_t resets;
  *snapshot = (struct snapshot){0};
  do {
    mprof_profile_close(snapshot->profile);
    program->status(program->closure, &snapshot->status);
    resets = snapshot->status.resets;
    snapshot->profile = program->snapshot(program->closure, how, message);
    program->status(program->closure, &snapshot->status);
  } while (snapshot->profile != NULL && snapshot->status.resets != resets);
  return snapshot->profile != NULL;
}

/* Takes a snapshot.  On failure returns false, and the answer says why. */
static bool
take(struct client *client, unsigned how, struct snapshot *snapshot)
{
  char message[PROGRAM_MESSAGE_LENGTH];
  const bool good =
      take_snapshot(client->server->program, how, snapshot, message);
  if (!good)
    answer_error(client, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  return good;
}

enum page { ALLOCS, HEAP, FLAMEGRAPH, PROFILE };

struct arguments {
  long seconds, refresh, debug, gc;
};

/* Reads the arguments of PAGE.  Returns NULL, or what is wrong with them. */
static const char *
read_arguments(struct client *client, enum page page, struct arguments *a)
{
  const bool heap = page == ALLOCS || page == HEAP;
  const char *seconds = argument(client, "seconds");
  *a = (struct arguments){0};
  client->in_use = page == HEAP;
  if (heap && (!read_number(seconds, MOST_SECONDS, &a->seconds) ||
               (*seconds != '\0' && a->seconds == 0)))
    return "invalid value for \"seconds\": must be 1 to 3600";
  if (heap && (!read_number(argument(client, "debug"), 2, &a->debug) ||
               !read_number(argument(client, "gc"), 1, &a->gc)))
    return "invalid value for \"debug\" or \"gc\"";
  if (a->seconds != 0 && a->debug != 0)
    return "seconds and debug params are incompatible";
  if (page == FLAMEGRAPH &&
      !read_number(argument(client, "refresh"), MOST_SECONDS, &a->refresh))
    return "invalid value for \"refresh\": must be 1 to 3600 seconds";
  if (page == PROFILE && !read_number(argument(client, "gc"), 1, &a->gc))
    return "invalid value for \"gc\"";
  return NULL;
}

/* Answers with PAGE of the snapshot NOW. */
static void
answer_page(struct client *client, enum page page, const struct arguments *a,
            const struct snapshot *now)
{
  void *profile = now->profile;
  if (page == PROFILE) {
    answer_result(client,
                  mprof_profile_command(profile, "merge\n-o=-", NULL, 0),
                  "application/octet-stream", "mprof.data");
  } else if (page == FLAMEGRAPH) {
    /* A client that may see the figures may not see the program's source. */
    answer_result(client,
                  mprof_profile_command(
                      profile, "export\n--format=html\n--no-source", NULL, 0),
                  "text/html; charset=utf-8", NULL);
    if (a->refresh != 0)
      MHD_add_response_header(client->response, "Refresh",
                              argument(client, "refresh"));
  } else if (a->debug != 0) {
    answer_result(client, mprof_profile_command(profile, "report", NULL, 0),
                  "text/plain; charset=utf-8", NULL);
  } else {
    answer_heap(client, now, &client->base, page == HEAP ? "heap" : "allocs");
  }
}

static const char *
get(struct client *client, int detail)
{
  const enum page page = (enum page)detail;
  struct server *server = client->server;
  struct program_status status;
  struct snapshot now;
  struct arguments a;
  const char *wrong = read_arguments(client, page, &a);
  if (wrong != NULL)
    return refuse(client, MHD_HTTP_BAD_REQUEST, wrong);
  server->program->status(server->program->closure, &status);
  if (page == HEAP && !status.follows)
    return refuse(client, MHD_HTTP_NOT_FOUND,
                  "memory in use is not known: objects are not followed (in "
                  "Lisp, start with (mprof:start :live t))");
  if (!take(client,
            (unsigned)a.gc * SNAPSHOT_COLLECT |
                (page == PROFILE ? SNAPSHOT_FILE : 0),
            &now))
    return NULL;
  if (a.seconds != 0) {
    client->waits = true;
    client->deadline =
        clock_nanos(CLOCK_MONOTONIC) + a.seconds * INT64_C(1000000000);
    client->base = now;
    return NULL;
  }
  answer_page(client, page, &a, &now);
  mprof_profile_close(now.profile);
  return NULL;
}

void
request_end_wait(struct client *client)
{
  struct snapshot now;
  if (!take(client, 0, &now))
    return;
  answer_heap(client, &now, &client->base,
              client->in_use ? "heap-delta" : "allocs-delta");
  mprof_profile_close(now.profile);
}

/* ---- what needs a token ---- */

/* Whether two tokens of TOKEN_BYTES are the same.  The time does not depend
 * on where they differ. */
static bool
is_token(const char *token, const char *given)
{
  unsigned difference = 0;
  for (size_t i = 0; i < TOKEN_BYTES; i++)
    difference |= (unsigned)(token[i] ^ given[i]);
  return difference == 0;
}

static const char *
post(struct client *client, int event)
{
  static const char bearer[] = "Bearer ";
  struct server *server = client->server;
  const char *given =
      lookup(client, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
  if (strncmp(given, bearer, sizeof bearer - 1) == 0) {
    given += sizeof bearer - 1;
    memset(client->token, 0, TOKEN_BYTES);
    memcpy(client->token, given, strnlen(given, TOKEN_BYTES));
  }
  if (server->token[0] == '\0')
    return refuse(client, MHD_HTTP_FORBIDDEN,
                  "the server was started without a token, so start, stop "
                  "and reset are disabled");
  if (!is_token(server->token, client->token))
    return refuse(client, MHD_HTTP_FORBIDDEN, "the token is wrong");
  if (server->event != SERVE_END)
    return refuse(client, MHD_HTTP_SERVICE_UNAVAILABLE,
                  "another request is in progress");
  server->event = (enum serve_event)event;
  server->asking = client;
  client->waits = true;
  client->deadline = INT64_MAX;
  return NULL;
}

/* ---- all requests ---- */

/* The functions that answer requests.  Each sets the answer or makes the
 * client wait, and returns NULL; or it returns why the request is refused. */
static const struct {
  const char *path, *method;
  const char *(*answer)(struct client *client, int detail);
  int detail;
} routes[] = {
    {"/", MHD_HTTP_METHOD_GET, answer_state, 0},
    {"/debug/pprof/", MHD_HTTP_METHOD_GET, answer_state, 0},
    {"/debug/pprof/allocs", MHD_HTTP_METHOD_GET, get, ALLOCS},
    {"/debug/pprof/heap", MHD_HTTP_METHOD_GET, get, HEAP},
    {"/flamegraph", MHD_HTTP_METHOD_GET, get, FLAMEGRAPH},
    {"/profile", MHD_HTTP_METHOD_GET, get, PROFILE},
    {"/start", MHD_HTTP_METHOD_POST, post, SERVE_START},
    {"/stop", MHD_HTTP_METHOD_POST, post, SERVE_STOP},
    {"/reset", MHD_HTTP_METHOD_POST, post, SERVE_RESET},
};

/* Whether the request names this machine: by localhost, by an address, or not
 * at all. */
static bool
is_for_us(const struct client *client)
{
  const char *host = lookup(client, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  char name[256];
  struct in_addr address;
  if (!client->server->loopback || *host == '\0' || *host == '[')
    return true;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(host, ":"), host);
  return strcasecmp(name, "localhost") == 0 ||
         inet_pton(AF_INET, name, &address) == 1;
}

static enum MHD_Result
count_host(void *closure, enum MHD_ValueKind kind, const char *key,
           const char *value)
{
  (void)kind, (void)value;
  *(int *)closure += strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0;
  return MHD_YES;
}

size_t
request_unescape(void *closure, struct MHD_Connection *connection, char *text)
{
  (void)closure, (void)connection;
  return strstr(text, "%00") != NULL ? strlen(text) : MHD_http_unescape(text);
}

static const char *
answer_path(struct client *client, const char *path, const char *method)
{
  int hosts = 0;
  MHD_get_connection_values(client->connection, MHD_HEADER_KIND, count_host,
                            &hosts);
  if (client->too_long)
    return refuse(client, MHD_HTTP_CONTENT_TOO_LARGE,
                  "the request is too long");
  if (hosts > 1 || strstr(path, "%00") != NULL)
    return refuse(client, MHD_HTTP_BAD_REQUEST,
                  "the request has two hosts, or a zero in its path");
  if (!is_for_us(client))
    return refuse(client, MHD_HTTP_MISDIRECTED_REQUEST,
                  "the request is for another host; use localhost");
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    if (strcmp(path, routes[i].path) != 0)
      continue;
    if (strcmp(method, routes[i].method) == 0)
      return routes[i].answer(client, routes[i].detail);
    answer_error(client, MHD_HTTP_METHOD_NOT_ALLOWED,
                 "the method is not allowed");
    MHD_add_response_header(client->response, MHD_HTTP_HEADER_ALLOW,
                            routes[i].method);
    return NULL;
  }
  return refuse(client, MHD_HTTP_NOT_FOUND,
                "there is no such page; / lists the pages");
}

void
request_answer(struct client *client, const char *path, const char *method)
{
  const bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  const char *wrong =
      answer_path(client, path, head ? MHD_HTTP_METHOD_GET : method);
  if (wrong != NULL)
    answer_error(client, client->status, wrong);
}
