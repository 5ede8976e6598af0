/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be asked for.
 *
 * The paths of profiles, `gc', `seconds' and `debug' are those of Go's
 * net/http/pprof (golang/go, src/net/http/pprof/pprof.go); delta_heap is that
 * of grafana/pyroscope-go/godeltaprof, for which only Pyroscope's clients
 * ask.  `types' is mprof's own.
 */

#include "serve/serving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_SECONDS = 3600 };

static const char *
argument(const struct request *request, const char *key)
{
  const char *value = MHD_lookup_connection_value(
      request->connection, MHD_GET_ARGUMENT_KIND, key);
  return value == NULL ? "" : value;
}

static const char *
header(const struct request *request, const char *key)
{
  return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                     key);
}

/* Whether TEXT is a number, at most MOST; "" is 0. */
static bool
read_number(const char *text, long most, long *number)
{
  char *end;
  errno = 0;
  *number = strtol(text, &end, 10);
  return *end == '\0' && errno == 0 && *number >= 0 && *number <= most &&
         text[strspn(text, "0123456789")] == '\0';
}

static struct MHD_Response *
fail(struct request *request, unsigned code, const char *message)
{
  return answer_error(&request->status, code, "%s", message);
}

/* ---- profiles ---- */

/* A request for a profile: the figures as they are, or what comes in some
 * seconds. */
static struct MHD_Response *
profile(struct request *request, bool in_use, const char *name)
{
  struct server *server = request->server;
  const char *types = argument(request, "types");
  char message[PROGRAM_MESSAGE_LENGTH];
  struct program_status status;
  struct base now;
  long seconds, debug, collect;
  request->in_use = in_use;
  request->type_frames = strcmp(types, "frames") == 0;
  if (!read_number(argument(request, "seconds"), MOST_SECONDS, &seconds) ||
      (*argument(request, "seconds") != '\0' && seconds == 0))
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "invalid value for \"seconds\": must be 1 to 3600");
  if (!read_number(argument(request, "debug"), 2, &debug) ||
      !read_number(argument(request, "gc"), 1, &collect))
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "invalid value for \"debug\" or \"gc\"");
  if (*types != '\0' && !request->type_frames)
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "invalid value for \"types\": must be frames");
  if (seconds != 0 && debug != 0)
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "seconds and debug params are incompatible");
  server->program->status(server->program->closure, &status);
  if (in_use && !status.follows)
    return fail(request, MHD_HTTP_NOT_FOUND,
                "memory in use is not known: objects are not followed (in "
                "Lisp, start with (mprof:start :live t))");
  if (!base_take(server, (unsigned)collect * SNAPSHOT_COLLECT, &now,
                 message))
    return fail(request, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  if (seconds != 0) {
    request->waits = WAITS_FOR_TIME;
    request->due = monotonic_nanos() + seconds * INT64_C(1000000000);
    request->base = now;
    return NULL;
  }
  struct MHD_Response *response =
      debug != 0
          ? answer_command(&now, "report", "text/plain; charset=utf-8",
                           &request->status)
          : answer_heap(request, &now, NULL, false, name);
  base_release(&now);
  return response;
}

static struct MHD_Response *
get_allocs(struct request *request)
{
  return profile(request, false, "allocs");
}

static struct MHD_Response *
get_heap(struct request *request)
{
  return profile(request, true, "heap");
}

/* What was allocated since it was asked last, and what is in use. */
static struct MHD_Response *
get_delta_heap(struct request *request)
{
  struct server *server = request->server;
  char message[PROGRAM_MESSAGE_LENGTH];
  struct base now;
  if (!base_take(server, 0, &now, message))
    return fail(request, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  request->type_frames = true;
  struct MHD_Response *response =
      answer_heap(request, &now, &server->delta, false, "delta_heap");
  base_release(&server->delta);
  server->delta = now;
  return response;
}

static struct MHD_Response *
get_flamegraph(struct request *request)
{
  struct server *server = request->server;
  char message[PROGRAM_MESSAGE_LENGTH];
  struct base now;
  long seconds;
  if (!read_number(argument(request, "refresh"), MOST_SECONDS, &seconds))
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "invalid value for \"refresh\": must be 1 to 3600 seconds");
  if (!base_take(server, 0, &now, message))
    return fail(request, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  /* who may see what was allocated need not see the program's source */
  struct MHD_Response *response =
      answer_command(&now, "export\n--format=html\n--no-source",
                     "text/html; charset=utf-8", &request->status);
  if (seconds != 0)
    MHD_add_response_header(response, "Refresh",
                            argument(request, "refresh"));
  base_release(&now);
  return response;
}

static struct MHD_Response *
get_profile(struct request *request)
{
  long collect;
  if (!read_number(argument(request, "gc"), 1, &collect))
    return fail(request, MHD_HTTP_BAD_REQUEST, "invalid value for \"gc\"");
  return answer_file(request->server,
                     (unsigned)collect * SNAPSHOT_COLLECT | SNAPSHOT_FILE,
                     &request->status);
}

static struct MHD_Response *
get_state(struct request *request)
{
  return answer_state(request->server, &request->status);
}

/* ---- what needs a token ---- */

/* Takes as long whatever is wrong with it. */
static bool
is_token(const struct server *server, const char *given)
{
  const size_t length = strlen(server->token);
  unsigned difference = (unsigned)(strlen(given) != length);
  for (size_t i = 0; i < length; i++)
    difference |= (unsigned)(server->token[i] ^
                             given[strlen(given) > i ? i : 0]);
  return difference == 0 && length > 0;
}

static struct MHD_Response *
post(struct request *request, enum serve_event event)
{
  static const char bearer[] = "Bearer ";
  struct server *server = request->server;
  const char *given = header(request, MHD_HTTP_HEADER_AUTHORIZATION);
  if (given != NULL && strncmp(given, bearer, sizeof bearer - 1) == 0)
    given += sizeof bearer - 1;
  else
    given = request->token;
  if (server->token[0] == '\0')
    return fail(request, MHD_HTTP_FORBIDDEN,
                "the server was started without a token, so start, stop and "
                "reset are disabled");
  if (!is_token(server, given))
    return fail(request, MHD_HTTP_FORBIDDEN, "the token is wrong");
  if (server->event != SERVE_END)
    return fail(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                "another request is in progress");
  server->event = event;
  request->waits = WAITS_FOR_OWNER;
  return NULL;
}

static struct MHD_Response *
post_start(struct request *request)
{
  return post(request, SERVE_START);
}

static struct MHD_Response *
post_stop(struct request *request)
{
  return post(request, SERVE_STOP);
}

static struct MHD_Response *
post_reset(struct request *request)
{
  return post(request, SERVE_RESET);
}

/* ---- all ---- */

static const struct {
  const char *path, *method;
  struct MHD_Response *(*answer)(struct request *);
} routes[] = {
    {"/", MHD_HTTP_METHOD_GET, get_state},
    {"/debug/pprof/", MHD_HTTP_METHOD_GET, get_state},
    {"/debug/pprof/allocs", MHD_HTTP_METHOD_GET, get_allocs},
    {"/debug/pprof/heap", MHD_HTTP_METHOD_GET, get_heap},
    {"/debug/pprof/delta_heap", MHD_HTTP_METHOD_GET, get_delta_heap},
    {"/flamegraph", MHD_HTTP_METHOD_GET, get_flamegraph},
    {"/profile", MHD_HTTP_METHOD_GET, get_profile},
    {"/start", MHD_HTTP_METHOD_POST, post_start},
    {"/stop", MHD_HTTP_METHOD_POST, post_stop},
    {"/reset", MHD_HTTP_METHOD_POST, post_reset},
};

/* Whether the request is for this machine: by no name, or by localhost, or by
 * an address. */
static bool
is_for_us(const struct request *request)
{
  const char *host = header(request, MHD_HTTP_HEADER_HOST);
  char name[256];
  struct in_addr address;
  if (!request->server->loopback || host == NULL || *host == '[')
    return true;
  const size_t length = strcspn(host, ":");
  if (length >= sizeof name)
    return false;
  memcpy(name, host, length);
  name[length] = '\0';
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

static const char escaped_nul[] = "%00";

size_t
request_unescape(void *closure, struct MHD_Connection *connection, char *text)
{
  (void)closure, (void)connection;
  return strstr(text, escaped_nul) != NULL ? strlen(text)
                                           : MHD_http_unescape(text);
}

/* Whether there is anything in the headers that nobody can mean. */
static bool
is_malformed(const struct request *request, const char *path)
{
  int hosts = 0;
  MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_host,
                            &hosts);
  return hosts > 1 || strstr(path, escaped_nul) != NULL;
}

static struct MHD_Response *
answer(struct request *request, const char *path, const char *method)
{
  const bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (request->too_long)
    return fail(request, MHD_HTTP_CONTENT_TOO_LARGE,
                "the request is too long");
  if (is_malformed(request, path))
    return fail(request, MHD_HTTP_BAD_REQUEST,
                "the request has two hosts, or a zero in its path");
  if (!is_for_us(request))
    return fail(request, MHD_HTTP_MISDIRECTED_REQUEST,
                "the request is for another host; use localhost");
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    if (strcmp(path, routes[i].path) != 0)
      continue;
    if (strcmp(head ? MHD_HTTP_METHOD_GET : method, routes[i].method) == 0)
      return routes[i].answer(request);
    struct MHD_Response *response =
        fail(request, MHD_HTTP_METHOD_NOT_ALLOWED, "the method is not "
                                                   "allowed");
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
                            routes[i].method);
    return response;
  }
  return fail(request, MHD_HTTP_NOT_FOUND,
              "there is no such page; / lists the pages");
}

enum MHD_Result
request_handle(struct request *request, const char *path, const char *method)
{
  struct MHD_Response *response = request->response;
  request->response = NULL;
  if (response == NULL)
    response = answer(request, path, method);
  if (request->waits != WAITS_FOR_NOTHING) {
    request->next = request->server->waiting;
    request->server->waiting = request;
    MHD_suspend_connection(request->connection);
    return MHD_YES;
  }
  if (response == NULL)
    return MHD_NO;
  const enum MHD_Result queued =
      MHD_queue_response(request->connection, request->status, response);
  MHD_destroy_response(response);
  return queued;
}

void
request_end_wait(struct request *request)
{
  struct server *server = request->server;
  char message[PROGRAM_MESSAGE_LENGTH];
  struct base now;
  if (!base_take(server, 0, &now, message)) {
    request->response =
        fail(request, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  } else {
    request->response =
        answer_heap(request, &now, &request->base, true,
                    request->in_use ? "heap-delta" : "allocs-delta");
    base_release(&now);
  }
}
