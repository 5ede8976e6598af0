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

/* Answers with a copy of TEXT. */
static void
answer_text(struct client *client, unsigned status, const char *type,
            const char *text)
{
  answer(client, status, type,
         MHD_create_response_from_buffer(
             strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

/* pprof shows the text of an error only with this header (google/pprof,
 * internal/driver/fetch.go, statusCodeError). */
void
answer_error(struct client *client, unsigned status, const char *text)
{
  char line[8192];
  snprintf(line, sizeof line, "%s\n", text);
  answer_text(client, status, "text/plain; charset=utf-8", line);
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
      before->profile != NULL && before->generation == now->generation;
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

/* Takes a snapshot while nothing resets the figures.  On failure returns
 * false, and the answer says why. */
static bool
take(struct client *client, unsigned how, struct snapshot *snapshot)
{
  const struct program *program = client->server->program;
  char message[PROGRAM_MESSAGE_LENGTH];
  *snapshot = (struct snapshot){0};
  do {
    mprof_profile_close(snapshot->profile);
    snapshot->generation = program->generation(program->closure);
    snapshot->profile = program->snapshot(program->closure, how, message);
  } while (snapshot->profile != NULL &&
           snapshot->generation != program->generation(program->closure));
  if (snapshot->profile == NULL)
    answer_error(client, MHD_HTTP_INTERNAL_SERVER_ERROR, message);
  return snapshot->profile != NULL;
}

enum page { ALLOCS, HEAP, FLAMEGRAPH, PROFILE, INDEX, GO_INDEX, PAGES };

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

/* Answers a request for PAGE, or makes it wait.  Returns NULL, or why the
 * request is refused. */
static const char *
get(struct client *client, enum page page)
{
  const struct program *program = client->server->program;
  struct snapshot now;
  struct arguments a;
  const char *wrong = read_arguments(client, page, &a);
  if (wrong != NULL)
    return refuse(client, MHD_HTTP_BAD_REQUEST, wrong);
  if (page == HEAP && !program->follows(program->closure))
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

/* ---- all requests ---- */

static const char *const paths[] = {[ALLOCS] = "/debug/pprof/allocs",
                                    [HEAP] = "/debug/pprof/heap",
                                    [FLAMEGRAPH] = "/flamegraph",
                                    [PROFILE] = "/profile",
                                    [INDEX] = "/",
                                    [GO_INDEX] = "/debug/pprof/"};

/* The page / */
static const char index_page[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>mprof</title>\n"
    "<meta name=viewport content='width=device-width'>\n"
    "<h1>mprof</h1><dl>\n"
    "<dt><a href=/flamegraph>/flamegraph</a><dd>the flame graph as of now;"
    " <a href='/flamegraph?refresh=5'>?refresh=5</a> reloads it\n"
    "<dt><a href=/debug/pprof/allocs>/debug/pprof/allocs</a><dd>all"
    " allocations, for pprof; ?seconds=10: those of the next ten seconds;"
    " <a href='/debug/pprof/allocs?debug=1'>?debug=1</a>: as tables\n"
    "<dt><a href=/debug/pprof/heap>/debug/pprof/heap</a><dd>memory in use;"
    " ?gc=1: after a full collection\n"
    "<dt><a href=/profile>/profile</a><dd>a file for mprof report\n</dl>\n";

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
  if (hosts > 1 || strstr(path, "%00") != NULL)
    return refuse(client, MHD_HTTP_BAD_REQUEST,
                  "the request has two hosts, or a zero in its path");
  if (!is_for_us(client))
    return refuse(client, MHD_HTTP_MISDIRECTED_REQUEST,
                  "the request is for another host; use localhost");
  enum page page = ALLOCS;
  while (page < PAGES && strcmp(path, paths[page]) != 0)
    page++;
  if (page == PAGES)
    return refuse(client, MHD_HTTP_NOT_FOUND,
                  "there is no such page; / lists the pages");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
      strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return refuse(client, MHD_HTTP_METHOD_NOT_ALLOWED,
                  "the method is not allowed");
  if (page < INDEX)
    return get(client, page);
  answer_text(client, MHD_HTTP_OK, "text/html; charset=utf-8", index_page);
  return NULL;
}

void
request_answer(struct client *client, const char *path, const char *method)
{
  const char *wrong = answer_path(client, path, method);
  if (wrong != NULL)
    answer_error(client, client->status, wrong);
  if (wrong != NULL && client->status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(client->response, MHD_HTTP_HEADER_ALLOW, "GET");
}
