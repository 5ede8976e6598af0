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

static const char plain_text[] = "text/plain; charset=utf-8";
static const char html[] = "text/html; charset=utf-8";

/* A page: its type, the command that makes it of a snapshot, and what a
 * client saves it as, or NULL. */
struct page {
  const char *path, *type, *command, *file;
};

static const struct page pages[] = {
    {"/debug/pprof/allocs", "application/octet-stream",
     "export\n--format=heap\n--value=bytes", "allocs"},
    {"/debug/pprof/heap", "application/octet-stream",
     "export\n--format=heap\n--value=kept", "heap"},
    {"/profile", "application/octet-stream", "merge\n-o=-", "mprof.data"},
    /* who may see the figures may not see the program's source */
    {"/flamegraph", html, "export\n--format=html\n--no-source", NULL},
    {"/", html, NULL, NULL},
    {"/debug/pprof/", html, NULL, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct page *const heap_page = &pages[1],
                                *const profile_page = &pages[2],
                                *const flamegraph_page = &pages[3];

static const char index_page[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>mprof</title>\n"
    "<meta name=viewport content='width=device-width'>\n<h1>mprof</h1><dl>\n"
    "<dt><a href=/flamegraph>/flamegraph</a><dd>the flame graph as of now;"
    " <a href='/flamegraph?refresh=5'>?refresh=5</a> reloads it\n"
    "<dt><a href=/debug/pprof/allocs>/debug/pprof/allocs</a><dd>all"
    " allocations, for pprof; ?seconds=10: those of the next ten seconds;"
    " <a href='/debug/pprof/allocs?debug=1'>?debug=1</a>: as tables\n"
    "<dt><a href=/debug/pprof/heap>/debug/pprof/heap</a><dd>memory in use;"
    " ?gc=1: after a full collection\n"
    "<dt><a href=/profile>/profile</a><dd>a file for mprof report\n</dl>\n";

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
  answer_text(client, status, plain_text, line);
  MHD_add_response_header(client->response, "X-Go-Pprof", "1");
}

/* Answers with the output of RESULT.  The response frees RESULT. */
static void
answer_result(struct client *client, void *result, const char *type)
{
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
}

/* Answers with the page of a profile of NOW; of what came since the client's
 * first snapshot if there is one, unless the figures were reset since. */
static void
answer_page(struct client *client, const struct snapshot *now, bool tables)
{
  const struct page *page = client->page;
  const struct snapshot *before = &client->base;
  const bool differs =
      before->profile != NULL && before->generation == now->generation;
  char disposition[64];
  answer_result(
      client,
      mprof_profile_command(now->profile, differs ? before->profile : NULL,
                            tables ? "report" : page->command, NULL, 0),
      tables ? plain_text : page->type);
  if (tables || page->file == NULL || client->status != MHD_HTTP_OK)
    return;
  snprintf(disposition, sizeof disposition, "attachment; filename=\"%s%s\"",
           page->file, before->profile == NULL ? "" : "-delta");
  MHD_add_response_header(client->response,
                          MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
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

/* Sets *NUMBER to the argument KEY of the request, or to 0 without it.
 * Returns whether it is a number from LEAST to MOST. */
static bool
read_argument(const struct client *client, const char *key, long least,
              long most, long *number)
{
  const char *text = MHD_lookup_connection_value(client->connection,
                                                 MHD_GET_ARGUMENT_KIND, key);
  *number = text == NULL ? 0 : strtol(text, NULL, 10);
  return text == NULL || (text[strspn(text, "0123456789")] == '\0' &&
                          *number >= least && *number <= most);
}

/* Answers a request for a profile, or makes it wait.  Returns NULL, or why it
 * is refused. */
static const char *
answer_profile(struct client *client)
{
  const struct program *program = client->server->program;
  const bool page = client->page == flamegraph_page;
  const bool file = client->page == profile_page;
  char reload[24];
  long seconds, debug, collect, refresh;
  struct snapshot now;
  if (!read_argument(client, "seconds", 1, MOST_SECONDS, &seconds))
    return "invalid value for \"seconds\": must be 1 to 3600";
  if (!read_argument(client, "debug", 0, 2, &debug) ||
      !read_argument(client, "gc", 0, 1, &collect))
    return "invalid value for \"debug\" or \"gc\"";
  if (!read_argument(client, "refresh", 1, MOST_SECONDS, &refresh))
    return "invalid value for \"refresh\": must be 1 to 3600 seconds";
  if (seconds != 0 && debug != 0)
    return "seconds and debug params are incompatible";
  if (client->page == heap_page && program->follows != NULL &&
      !program->follows(program->closure))
    return refuse(client, MHD_HTTP_NOT_FOUND,
                  "memory in use is not known: objects are not followed (in "
                  "Lisp, start with (mprof:start :live t))");
  if (!take(client,
            (unsigned)collect * SNAPSHOT_COLLECT | (file ? SNAPSHOT_FILE : 0),
            &now))
    return NULL;
  if (seconds != 0 && !page && !file) {
    client->waits = true;
    client->deadline =
        clock_nanos(CLOCK_MONOTONIC) + seconds * INT64_C(1000000000);
    client->base = now;
    return NULL;
  }
  answer_page(client, &now, debug != 0 && !page && !file);
  mprof_profile_close(now.profile);
  if (page && refresh != 0) {
    snprintf(reload, sizeof reload, "%ld", refresh);
    MHD_add_response_header(client->response, "Refresh", reload);
  }
  return NULL;
}

void
request_end_wait(struct client *client)
{
  struct snapshot now;
  if (!take(client, 0, &now))
    return;
  answer_page(client, &now, false);
  mprof_profile_close(now.profile);
}

/* ---- all requests ---- */

/* Returns whether the request names this machine: by localhost, by an
 * address, or not at all. */
static bool
is_for_us(const struct client *client)
{
  const char *host = MHD_lookup_connection_value(
      client->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  char name[256];
  struct in_addr address;
  if (!client->server->loopback || host == NULL || *host == '[')
    return true;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(host, ":"), host);
  return *name == '\0' || strcasecmp(name, "localhost") == 0 ||
         inet_pton(AF_INET, name, &address) == 1;
}

/* Answers the request for PATH by METHOD, or makes it wait.  Returns NULL, or
 * why it is refused. */
static const char *
answer_path(struct client *client, const char *path, const char *method)
{
  if (!is_for_us(client))
    return refuse(client, MHD_HTTP_MISDIRECTED_REQUEST,
                  "the request is for another host; use localhost");
  client->page = pages;
  while (client->page->path != NULL && strcmp(client->page->path, path) != 0)
    client->page++;
  if (client->page->path == NULL)
    return refuse(client, MHD_HTTP_NOT_FOUND,
                  "there is no such page; / lists the pages");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
      strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return refuse(client, MHD_HTTP_METHOD_NOT_ALLOWED,
                  "the method is not allowed");
  client->status = MHD_HTTP_BAD_REQUEST; /* if the arguments are wrong */
  if (client->page->command != NULL)
    return answer_profile(client);
  answer_text(client, MHD_HTTP_OK, html, index_page);
  return NULL;
}

void
request_answer(struct client *client, const char *path, const char *method)
{
  const char *wrong = answer_path(client, path, method);
  if (wrong == NULL)
    return;
  answer_error(client, client->status, wrong);
  if (client->status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(client->response, MHD_HTTP_HEADER_ALLOW, "GET");
}
