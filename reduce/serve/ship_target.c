/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/ship_target.h"

#include "base/quote.h"

#include <ctype.h>
#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By enum ship_protocol. */
static const struct {
  const char *name;
  const char *path;  /* how the URL's path ends */
  const char *usual; /* the path, where the URL has none */
} protocols[] = {
    [SHIP_PYROSCOPE] = {"pyroscope", "/ingest", "/ingest"},
    [SHIP_PARCA] = {"parca", "/profiles/writeraw", "/api/profiles/writeraw"},
    [SHIP_OTEL] = {"otel", "/v1/pprof", "/v1/pprof"},
};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

/* ---- the URL ---- */

static bool
ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), part = strlen(end);
  return length >= part && strcmp(text + length - part, end) == 0;
}

/* Finds the protocol by its NAME, or where that is not given by the PATH. */
static bool
find_protocol(struct ship_target *target, const char *name, const char *path,
              char *message)
{
  const bool named = name != NULL && *name != '\0';
  for (int i = 0; i < PROTOCOLS; i++)
    if (named ? strcmp(name, protocols[i].name) == 0
              : ends_with(path, protocols[i].path)) {
      target->protocol = (enum ship_protocol)i;
      return true;
    }
  if (named)
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "there is no protocol '%s'; use pyroscope, parca or otel",
             name);
  else
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "the URL does not imply a protocol; its path must end in "
             "/ingest (pyroscope), /profiles/writeraw (parca), or /v1/pprof "
             "(otel)");
  return false;
}

/* URL as a string; NULL when memory runs out. */
static char *
url_text(CURLU *url)
{
  char *whole = NULL;
  curl_url_get(url, CURLUPART_URL, &whole, 0);
  char *text = whole == NULL ? NULL : strdup(whole);
  curl_free(whole);
  return text;
}

static bool
init_url(struct ship_target *target, const struct ship_options *options,
         char *message)
{
  CURLU *url = curl_url();
  char *path = NULL, *scheme = NULL;
  bool good = false;
  if (url == NULL ||
      curl_url_set(url, CURLUPART_URL, options->url, 0) != CURLUE_OK ||
      curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
      strncmp(scheme, "http", 4) != 0 ||
      curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "'%.200s' is not an HTTP URL",
             options->url);
  } else if (find_protocol(target, options->protocol, path, message)) {
    if (strcmp(path, "/") == 0)
      curl_url_set(url, CURLUPART_PATH, protocols[target->protocol].usual, 0);
    target->url = url_text(url);
    curl_url_set(url, CURLUPART_USER, NULL, 0);
    curl_url_set(url, CURLUPART_PASSWORD, NULL, 0);
    target->shown = url_text(url);
    good = target->url != NULL && target->shown != NULL;
    if (!good)
      snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  }
  curl_free(path);
  curl_free(scheme);
  curl_url_cleanup(url);
  return good;
}

/* ---- labels ---- */

/* What the names of services may have in them is that of Pyroscope
 * (api/model/labelset/validate.go); the others take more. */
static bool
is_service_character(char c)
{
  return isalnum((unsigned char)c) ||
         (c != '\0' && strchr("_.-/", c) != NULL);
}

/* Names of labels are those of Prometheus, which all take; two underscores
 * begin those that a server keeps for itself.  In Pyroscope a comma or a
 * brace would end the value. */
static bool
check_label(const char *label, size_t length, char *message)
{
  size_t name = strcspn(label, "=\n");
  bool good = name > 0 && name + 1 < length &&
              !isdigit((unsigned char)*label) &&
              strncmp(label, "__", 2) != 0 &&
              strcspn(label + name, ",}") >= length - name;
  for (size_t i = 0; i < name; i++)
    good = good && (isalnum((unsigned char)label[i]) || label[i] == '_');
  if (!good)
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "'%.*s' is not a label: write NAME=VALUE, with only letters, "
             "digits and underscores in NAME, and no comma or '}' in VALUE",
             length > 200 ? 200 : (int)length, label);
  return good;
}

/* Whether the first LENGTH bytes of LABEL name one that is in LABELS. */
static bool
is_named(const char *labels, const char *label, size_t length)
{
  for (const char *line = labels; *line != '\0';
       line += strcspn(line, "\n"), line += *line != '\0')
    if (strncmp(line, label, length) == 0 && line[length] == '=')
      return true;
  return false;
}

static bool
add_labels(const char *labels, struct string_sink *text, char *message)
{
  for (const char *line = labels; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    const size_t name = strcspn(line, "=\n");
    if (!check_label(line, length, message))
      return false;
    if (is_named(line + length + (line[length] != '\0'), line, name) ||
        strncmp(line, "service_name=", 13) == 0) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH,
               "the label '%.*s' is given twice", (int)(name % 200), line);
      return false;
    }
    sink_bytes(&text->sink, line, length);
    sink_text(&text->sink, "\n");
    line += length + (line[length] != '\0');
  }
  return true;
}

static bool
init_labels(struct ship_target *target, const char *labels, char *message)
{
  struct string_sink text;
  char host[256] = "";
  string_sink_init(&text);
  if (!is_named(labels, "host", 4) && gethostname(host, sizeof host - 1) == 0)
    sink_format(&text.sink, "host=%s\n", host);
  const bool good = add_labels(labels, &text, message);
  const char *made = good ? string_sink_text(&text) : NULL;
  if (made != NULL)
    target->labels = strdup(made);
  string_sink_release(&text);
  if (target->labels == NULL && good)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  return target->labels != NULL &&
         asprintf(&target->comments, "service_name=%s\n%s", target->service,
                  target->labels) > 0;
}

static bool
init_service(struct ship_target *target, const char *service,
             const char *program, char *message)
{
  const bool given = service != NULL && *service != '\0';
  target->service = strdup(given ? service : program);
  for (char *c = target->service; c != NULL && *c != '\0'; c++)
    if (!is_service_character(*c) && given) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH,
               "'%.200s' is not a service name: use only letters, digits, "
               "and _ . - /",
               service);
      return false;
    } else if (!is_service_character(*c)) {
      *c = '_';
    }
  return target->service != NULL;
}

bool
ship_target_init(struct ship_target *target,
                 const struct ship_options *options, const char *program,
                 char *message)
{
  *target = (struct ship_target){0};
  return init_url(target, options, message) &&
         init_service(target, options->service, program, message) &&
         init_labels(target, options->labels == NULL ? "" : options->labels,
                     message);
}

void
ship_target_release(struct ship_target *target)
{
  free(target->url);
  free(target->shown);
  free(target->service);
  free(target->labels);
  free(target->comments);
}

/* ---- requests ---- */

static bool
add_query(CURLU *url, const char *query)
{
  return curl_url_set(url, CURLUPART_QUERY, query,
                      CURLU_APPENDQUERY | CURLU_URLENCODE) == CURLUE_OK;
}

static bool
add_number(CURLU *url, const char *name, int64_t number)
{
  char query[48];
  snprintf(query, sizeof query, "%s=%" PRId64, name, number);
  return add_query(url, query);
}

/* name=SERVICE{NAME=VALUE,...}, and when. */
static bool
make_ingest_query(CURLU *url, const struct ship_target *target,
                  const struct ship_part *part)
{
  struct string_sink name;
  string_sink_init(&name);
  sink_format(&name.sink, "name=%s{", target->service);
  for (const char *c = target->labels; *c != '\0'; c++)
    if (c[1] != '\0') /* not the last newline */
      sink_bytes(&name.sink, *c == '\n' ? "," : c, 1);
  sink_text(&name.sink, "}");
  const char *text = string_sink_text(&name);
  const bool good = text != NULL && add_query(url, text) &&
                    add_query(url, "format=pprof") &&
                    add_query(url, "spyName=mprof") &&
                    add_number(url, "from", part->from) &&
                    add_number(url, "until", part->until);
  string_sink_release(&name);
  return good;
}

static void
write_base64(struct sink *sink, const char *octets, size_t length)
{
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < length; i += 3) {
    char four[4] = {'=', '=', '=', '='};
    const size_t count = length - i < 3 ? length - i : 3;
    unsigned bits = 0;
    for (size_t j = 0; j < 3; j++)
      bits = bits << 8 | (j < count ? (unsigned char)octets[i + j] : 0);
    for (size_t j = 0; j <= count; j++)
      four[j] = digits[bits >> (18 - 6 * j) & 63];
    sink_bytes(sink, four, sizeof four);
  }
}

static void
write_label(struct sink *sink, const char *name, size_t length,
            const char *value)
{
  sink_format(sink, "{\"name\":\"%.*s\",\"value\":", (int)length, name);
  json_string(sink, value);
  sink_text(sink, "}");
}

/* WriteRawRequest as the gateway of gRPC reads it. */
static void
write_raw_request(struct sink *sink, const struct ship_target *target,
                  const struct ship_part *part)
{
  char *copy = strdup(target->comments), *rest = copy, *line;
  sink_text(sink, "{\"series\":[{\"labels\":{\"labels\":[");
  write_label(sink, "__name__", 8, "memory");
  while (copy != NULL && (line = strsep(&rest, "\n")) != NULL)
    if (*line != '\0') {
      sink_text(sink, ",");
      write_label(sink, line, strcspn(line, "="), strchr(line, '=') + 1);
    }
  free(copy);
  sink_text(sink, "]},\"samples\":[");
  for (int i = 0; i < 2 && part->profiles[i].length > 0; i++) {
    sink_text(sink, i == 0 ? "{\"rawProfile\":\"" : ",{\"rawProfile\":\"");
    write_base64(sink, part->profiles[i].octets, part->profiles[i].length);
    sink_text(sink, "\"}");
  }
  sink_text(sink, "]}],\"normalized\":true}");
}

bool
ship_request_init(struct ship_request *request,
                  const struct ship_target *target,
                  const struct ship_part *part)
{
  CURLU *url = curl_url();
  bool good = url != NULL &&
              curl_url_set(url, CURLUPART_URL, target->url, 0) == CURLUE_OK;
  *request =
      (struct ship_request){.content_type = "application/octet-stream"};
  string_sink_init(&request->body);
  if (target->protocol == SHIP_PARCA) {
    request->content_type = "application/json";
    write_raw_request(&request->body.sink, target, part);
  } else {
    sink_bytes(&request->body.sink, part->profiles[0].octets,
               part->profiles[0].length);
  }
  if (good && target->protocol == SHIP_PYROSCOPE)
    good = make_ingest_query(url, target, part);
  good = good && sink_flush(&request->body.sink) &&
         curl_url_get(url, CURLUPART_URL, &request->url, 0) == CURLUE_OK;
  curl_url_cleanup(url);
  return good;
}

void
ship_request_release(struct ship_request *request)
{
  curl_free(request->url);
  string_sink_release(&request->body);
}
