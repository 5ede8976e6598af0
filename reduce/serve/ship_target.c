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

/* Finds the protocol by NAME, or by PATH if NAME is NULL or "". */
static bool
find_protocol(struct ship_target *target, const char *name, const char *path,
              char *message)
{
  const bool named = name != NULL && *name != '\0';
  for (int i = 0; i < PROTOCOLS; i++)
    if (named ? strcmp(name, protocols[i].name) == 0
              : fnmatch(protocols[i].path, path, 0) == 0) {
      target->protocol = (enum ship_protocol)i;
      return true;
    }
  if (named)
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "there is no protocol '%s'; use pyroscope, parca or otel", name);
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
  if (curl_url_set(url, CURLUPART_URL, options->url, 0) != CURLUE_OK ||
      curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
      strncmp(scheme, "http", 4) != 0 ||
      curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "'%.200s' is not an HTTP URL",
             options->url);
  } else if (find_protocol(target, options->protocol, path, message)) {
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

/* Whether LABELS have a label whose name is the first LENGTH bytes of LABEL.
 */
static bool
is_named(const char *labels, const char *label, size_t length)
{
  for (const char *line = labels; *line != '\0';
       line += strcspn(line, "\n"), line += *line != '\0')
    if (strncmp(line, label, length) == 0 && line[length] == '=')
      return true;
  return false;
}

/* Appends the lines LABELS to TEXT, which has room for them. */
static bool
add_labels(char *text, const char *labels, char *message)
{
  for (const char *line = labels; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    const size_t name = strcspn(line, "=\n");
    if (!check_label(line, length, message))
      return false;
    if (is_named(text, line, name)) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH,
               "the label '%.*s' is given twice", (int)(name % 200), line);
      return false;
    }
    sprintf(text + strlen(text), "%.*s\n", (int)length, line);
    line += length + (line[length] != '\0');
  }
  return true;
}

static bool
init_labels(struct ship_target *target, const char *service,
            const char *labels, char *message)
{
  char host[256] = "";
  const size_t room = strlen(service) + strlen(labels) + sizeof host +
                      sizeof "service_name=\n"
                             "host=\n\n";
  target->labels = malloc(room);
  if (target->labels == NULL)
    return false;
  sprintf(target->labels, "service_name=%s\n", service);
  if (!is_named(labels, "host", 4) && gethostname(host, sizeof host - 1) == 0)
    sprintf(target->labels + strlen(target->labels), "host=%s\n", host);
  return add_labels(target->labels, labels, message);
}

/* Returns the name of the service, to be freed: SERVICE, or the name of the
 * program, with underscores for other characters.  On failure returns NULL,
 * and MESSAGE says why. */
static char *
service_name(const char *service, const char *program, char *message)
{
  const bool given = service != NULL && *service != '\0';
  char *name = strdup(given ? service : program);
  if (name != NULL && given &&
      service[strspn(service, of_services)] != '\0') {
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "'%.200s' is not a service name: use only letters, digits, "
             "and _ . - /",
             service);
    free(name);
    return NULL;
  }
  for (char *c = name; c != NULL && *c != '\0'; c++)
    if (strchr(of_services, *c) == NULL)
      *c = '_';
  return name;
}

bool
ship_target_init(struct ship_target *target,
                 const struct ship_options *options, const char *program,
                 char *message)
{
  *target = (struct ship_target){0};
  char *service = init_url(target, options, message)
                      ? service_name(options->service, program, message)
                      : NULL;
  const bool good = service != NULL &&
                    init_labels(target, service, options->labels, message);
  free(service);
  return good;
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
