/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/shipping.h"

#include "base/quote.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By enum ship_protocol. */
static const struct {
  const char *name;
  const char *path;  /* a pattern for the URL's path */
  const char *usual; /* the path, where the URL has none */
} protocols[] = {
    [SHIP_PYROSCOPE] = {"pyroscope", "*/ingest", "/ingest"},
    [SHIP_PARCA] = {"parca", "*/profiles/writeraw", "/api/profiles/writeraw"},
    [SHIP_OTEL] = {"otel", "*/v1/pprof", "/v1/pprof"},
};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

/* ---- the URL ---- */

/* Finds the protocol by the LENGTH bytes of NAME, or by PATH if there are
 * none. */
static bool
find_protocol(struct ship_target *target, const char *name, size_t length,
              const char *path, char *message)
{
  for (int i = 0; i < PROTOCOLS; i++)
    if (length > 0 ? strlen(protocols[i].name) == length &&
                         memcmp(name, protocols[i].name, length) == 0
                   : fnmatch(protocols[i].path, path, 0) == 0) {
      target->protocol = (enum ship_protocol)i;
      return true;
    }
  if (length > 0)
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "there is no protocol '%.*s'; use pyroscope, parca or otel",
             length > 200 ? 200 : (int)length, name);
  else
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "the URL does not imply a protocol; its path must end in "
             "/ingest (pyroscope), /profiles/writeraw (parca), or /v1/pprof "
             "(otel)");
  return false;
}

static bool
init_url(struct ship_target *target, const struct ship_options *options,
         char *message)
{
  CURLU *url = curl_url();
  char *path = NULL, *scheme = NULL;
  const char *given = options->url;
  const size_t plus = strcspn(given, "+:"); /* where PROTOCOL+http begins */
  const size_t named = given[plus] == '+' ? plus : 0;
  if (named > 0)
    given += named + 1;
  if (curl_url_set(url, CURLUPART_URL, given, 0) != CURLUE_OK ||
      curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
      strncmp(scheme, "http", 4) != 0 ||
      curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "'%.200s' is not an HTTP URL",
             options->url);
  } else if (find_protocol(target, options->url, named, path, message)) {
    if (strcmp(path, "/") == 0)
      curl_url_set(url, CURLUPART_PATH, protocols[target->protocol].usual, 0);
    curl_url_get(url, CURLUPART_URL, &target->url, 0);
    curl_url_set(url, CURLUPART_USER, NULL, 0);
    curl_url_set(url, CURLUPART_PASSWORD, NULL, 0);
    curl_url_get(url, CURLUPART_URL, &target->shown, 0);
  }
  curl_free(path);
  curl_free(scheme);
  curl_url_cleanup(url);
  return target->url != NULL && target->shown != NULL;
}

/* ---- labels ---- */

/* The label that has the name of the service. */
static const char service_label[] = "service_name";

/* The characters that names may have.  Those of services are the ones that
 * Pyroscope allows (api/model/labelset/validate.go); others allow more. */
#define WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
static const char of_labels[] = WORD, of_services[] = WORD ".-/";

/* Checks a label.  Its name follows the rules of Prometheus, which all
 * servers accept; names with two underscores at the beginning belong to the
 * server.  In Pyroscope a comma or a brace would end the value. */
static bool
check_label(const char *label, size_t length, char *message)
{
  size_t name = strcspn(label, "=\n");
  const bool good =
      name > 0 && name + 1 < length && strspn(label, of_labels) == name &&
      !isdigit((unsigned char)*label) && strncmp(label, "__", 2) != 0 &&
      strcspn(label + name, ",}") >= length - name;
  if (!good)
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "'%.*s' is not a label: write NAME=VALUE, with only letters, "
             "digits and underscores in NAME, and no comma or '}' in VALUE",
             length > 200 ? 200 : (int)length, label);
  return good;
}

/* The line of LABELS whose name is the first LENGTH bytes of LABEL, or NULL.
 */
static const char *
find_label(const char *labels, const char *label, size_t length)
{
  for (const char *line = labels; *line != '\0';
       line += strcspn(line, "\n"), line += *line != '\0')
    if (strncmp(line, label, length) == 0 && line[length] == '=')
      return line;
  return NULL;
}

/* Appends the lines LABELS, but for the line SERVICE, to TEXT, which has room
 * for them. */
static bool
add_labels(char *text, const char *labels, const char *service, char *message)
{
  for (const char *line = labels; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    const size_t name = strcspn(line, "=\n");
    if (!check_label(line, length, message))
      return false;
    if (line != service && find_label(text, line, name) != NULL) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH,
               "the label '%.*s' is given twice", (int)(name % 200), line);
      return false;
    }
    if (line != service)
      sprintf(text + strlen(text), "%.*s\n", (int)length, line);
    line += length + (line[length] != '\0');
  }
  return true;
}

/* Sets TEXT to the label of the service: the line GIVEN, or the name of the
 * program, with underscores for characters that a service cannot have. */
static bool
set_service(char *text, const char *given, const char *program, char *message)
{
  const size_t name = sizeof service_label; /* and "=" */
  if (given == NULL)
    sprintf(text, "%s=%s\n", service_label, program);
  else
    sprintf(text, "%.*s\n", (int)strcspn(given, "\n"), given);
  for (char *c = text + name; *c != '\n'; c++)
    if (given == NULL && strchr(of_services, *c) == NULL)
      *c = '_';
  if (strspn(text + name, of_services) == strcspn(text + name, "\n"))
    return true;
  snprintf(message, PROGRAM_MESSAGE_LENGTH,
           "'%.*s' is not a service name: use only letters, digits, and "
           "_ . - /",
           (int)strcspn(text + name, "\n"), text + name);
  return false;
}

static bool
init_labels(struct ship_target *target, const char *program,
            const char *labels, char *message)
{
  char host[256] = "";
  const char *service =
      find_label(labels, service_label, strlen(service_label));
  const size_t room = strlen(program) + strlen(labels) + sizeof host +
                      sizeof service_label + sizeof "=\nhost=\n\n";
  target->labels = malloc(room);
  if (target->labels == NULL ||
      !set_service(target->labels, service, program, message))
    return false;
  if (find_label(labels, "host", 4) == NULL &&
      gethostname(host, sizeof host - 1) == 0)
    sprintf(target->labels + strlen(target->labels), "host=%s\n", host);
  return add_labels(target->labels, labels, service, message);
}

bool
ship_target_init(struct ship_target *target,
                 const struct ship_options *options, const char *program,
                 char *message)
{
  *target = (struct ship_target){0};
  return init_url(target, options, message) &&
         init_labels(target, program, options->labels, message);
}

void
ship_target_release(struct ship_target *target)
{
  curl_free(target->url);
  curl_free(target->shown);
  free(target->labels);
}

/* ---- requests ---- */

/* Appends name=SERVICE{NAME=VALUE,...} and the times to URL. */
static bool
add_query(CURLU *url, const struct ship_target *target,
          const struct ship_part *part)
{
  const char *service = strchr(target->labels, '=') + 1;
  const char *labels = strchr(service, '\n') + 1;
  const int length = (int)strlen(labels); /* with a newline at the end */
  char *name = NULL, *rest = NULL;
  bool good =
      asprintf(&name, "name=%.*s{%.*s}", (int)strcspn(service, "\n"), service,
               length > 0 ? length - 1 : 0, labels) >= 0 &&
      asprintf(&rest,
               "format=pprof&spyName=mprof&from=%" PRId64 "&until=%" PRId64,
               part->from, part->until) >= 0;
  for (char *c = name; good && *c != '\0'; c++)
    if (*c == '\n')
      *c = ',';
  good = good &&
         curl_url_set(url, CURLUPART_QUERY, name,
                      CURLU_APPENDQUERY | CURLU_URLENCODE) == CURLUE_OK &&
         curl_url_set(url, CURLUPART_QUERY, rest, CURLU_APPENDQUERY) ==
             CURLUE_OK;
  free(name);
  free(rest);
  return good;
}

char *
ship_target_url(const struct ship_target *target,
                const struct ship_part *part)
{
  CURLU *url = curl_url();
  char *text = NULL;
  if (curl_url_set(url, CURLUPART_URL, target->url, 0) == CURLUE_OK &&
      (target->protocol != SHIP_PYROSCOPE || add_query(url, target, part)))
    curl_url_get(url, CURLUPART_URL, &text, 0);
  curl_url_cleanup(url);
  return text;
}

/* Writes a WriteRawRequest in the JSON that gRPC's gateway reads. */
void
ship_target_write_raw(const struct ship_target *target,
                      const struct ship_part *part, struct sink *sink)
{
  char *rest = pool_text(target->labels), *line;
  sink_text(sink, "{\"series\":[{\"labels\":{\"labels\":["
                  "{\"name\":\"__name__\",\"value\":\"memory\"}");
  while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
    const char *name = strsep(&line, "=");
    sink_format(sink, ",{\"name\":\"%s\",\"value\":", name);
    json_string(sink, line);
    sink_text(sink, "}");
  }
  sink_text(sink, "]},\"samples\":[");
  for (int i = 0; i < 2 && part->profiles[i] != NULL; i++) {
    sink_text(sink, i == 0 ? "{\"rawProfile\":\"" : ",{\"rawProfile\":\"");
    base64(sink, mprof_result_output(part->profiles[i]),
           mprof_result_length(part->profiles[i]));
    sink_text(sink, "\"}");
  }
  sink_text(sink, "]}],\"normalized\":true}");
}
