/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that shows the state of the profiler and links to the profiles. */

#include "serve/serving.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Writes TEXT so that it can stand between tags. */
static void
put_text(FILE *out, const char *text)
{
  for (; *text != '\0'; text++)
    if (*text == '<' || *text == '&')
      fprintf(out, "&#%d;", *text);
    else
      fputc(*text, out);
}

static void
put_row(FILE *out, const char *name, const char *value)
{
  fprintf(out, "<tr><th>%s<td>%s\n", name, value);
}

/* Writes a row whose value is NUMBER, with spaces between thousands. */
static void
put_number(FILE *out, const char *name, uint64_t number)
{
  char digits[32];
  const int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
  fprintf(out, "<tr><th>%s<td>", name);
  for (int i = 0; i < length; i++)
    fprintf(out, i > 0 && (length - i) % 3 == 0 ? " %c" : "%c", digits[i]);
  fputc('\n', out);
}

static void
put_since(FILE *out, int64_t since)
{
  char text[64] = "nothing has been counted yet";
  const time_t time = since;
  struct tm fields;
  if (since != 0 && gmtime_r(&time, &fields) != NULL)
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &fields);
  put_row(out, "since", text);
}

/* Writes the allocations per second since the last time that the page was
 * shown, unless the figures were reset meanwhile. */
static void
put_rates(FILE *out, struct server *server,
          const struct program_status *status)
{
  const int64_t now = clock_nanos(CLOCK_MONOTONIC);
  const double seconds = (double)(now - server->before_nanos) / 1e9;
  const struct program_status *before = &server->before;
  if (before->resets == status->resets && seconds > 0) {
    put_number(
        out, "allocations per second",
        (uint64_t)((double)(status->allocations - before->allocations) /
                   seconds));
    put_number(out, "bytes per second",
               (uint64_t)((double)(status->bytes - before->bytes) / seconds));
  }
  if (seconds >= 1) {
    server->before = *status;
    server->before_nanos = now;
  }
}

static const char head[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>mprof</title>\n"
    "<meta name=viewport content='width=device-width'>\n"
    "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;"
    "max-width:46em;padding:0 1em;color:#222;background:#fff}"
    "th{text-align:left;font-weight:normal;color:#666;padding-right:2em}"
    "td{font-variant-numeric:tabular-nums}dt{margin-top:.5em}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    "a{color:#8bf}}</style>\n<h1>";

static const char forms[] =
    "<form method=post><input name=token type=password "
    "placeholder=token> <button formaction=/start>start</button>"
    " <button formaction=/stop>stop</button>"
    " <button formaction=/reset>reset</button></form>\n";

static const char pages[] =
    "<h2>Profiles</h2><dl>\n"
    "<dt><a href=/flamegraph>/flamegraph</a><dd>the flame graph as of now;"
    " <a href='/flamegraph?refresh=5'>?refresh=5</a> reloads it\n"
    "<dt><a href=/debug/pprof/allocs>/debug/pprof/allocs</a><dd>all"
    " allocations, for pprof; ?seconds=10: those of the next ten seconds;"
    " <a href='/debug/pprof/allocs?debug=1'>?debug=1</a>: as tables\n"
    "<dt><a href=/debug/pprof/heap>/debug/pprof/heap</a><dd>memory in use;"
    " ?gc=1: after a full collection\n"
    "<dt><a href=/profile>/profile</a><dd>a file for mprof report\n</dl>\n";

const char *
answer_state(struct client *client, int unused)
{
  struct server *server = client->server;
  const struct program *program = server->program;
  struct program_status state;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  (void)unused;
  if (out == NULL)
    return NULL;
  program->status(program->closure, &state);
  fputs(head, out);
  put_text(out, program->name);
  fputs("</h1><table>\n", out);
  put_row(out, "counting", state.counting ? "yes" : "no");
  put_since(out, state.since);
  put_number(out, "allocations", state.allocations);
  put_number(out, "bytes", state.bytes);
  put_rates(out, server, &state);
  put_number(out, "call chains and kinds of objects", state.contexts);
  if (state.threads != 0) {
    put_number(out, "bytes used for these", state.context_bytes);
    put_number(out, "threads", state.threads);
  }
  put_row(out, "memory in use", state.follows ? "known" : "not known");
  if (state.overflows != 0)
    put_number(out, "times the budget was used up", state.overflows);
  fprintf(out, "</table>\n%s%s", server->token[0] != '\0' ? forms : "",
          pages);
  if (fclose(out) == 0)
    answer_text(client, MHD_HTTP_OK, "text/html; charset=utf-8", text,
                length);
  else
    free(text);
  return NULL;
}
