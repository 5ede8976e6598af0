/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/ship_post.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CONNECT_MILLISECONDS = 5000,
  MOST_SECONDS_TO_WAIT = 3600, /* whatever the other side asks for */
  MOST_OF_ANSWER = 65536,      /* what of an answer is read, ... */
  ANSWER_LENGTH = 300          /* ... and shown */
};

struct ship_connection {
  CURL *curl;
  struct curl_slist *headers; /* owned */
  char answer[ANSWER_LENGTH + 1];
  size_t length; /* of the answer so far */
  size_t read;   /* of it; more than MOST_OF_ANSWER: it was stopped */
  char error[CURL_ERROR_SIZE];
  bool (*go_on)(void *closure);
  void *closure;
};

int64_t
ship_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* ---- what libcurl calls ---- */

static size_t
take_answer(char *text, size_t size, size_t count, void *closure)
{
  struct ship_connection *connection = closure;
  for (size_t i = 0; i < count && connection->length < ANSWER_LENGTH; i++)
    connection->answer[connection->length++] =
        (unsigned char)text[i] < ' ' ? ' ' : text[i];
  connection->answer[connection->length] = '\0';
  connection->read += size * count;
  return connection->read > MOST_OF_ANSWER ? 0 : size * count;
}

static int
watch(void *closure, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  const struct ship_connection *connection = closure;
  (void)a, (void)b, (void)c, (void)d;
  return connection->go_on(connection->closure) ? 0 : 1;
}

/* ---- the connection ---- */

static bool
add_header(struct ship_connection *connection, const char *header)
{
  struct curl_slist *longer = curl_slist_append(connection->headers, header);
  if (longer != NULL)
    connection->headers = longer;
  return longer != NULL;
}

/* The headers that the environment asks for. */
static bool
add_headers(struct ship_connection *connection)
{
  const char *token = getenv("MPROF_SHIP_TOKEN");
  const char *more = getenv("MPROF_SHIP_HEADERS");
  char *text = NULL, *rest, *line;
  bool good = add_header(connection, "Expect:"); /* no round trip for that */
  if (token != NULL && *token != '\0') {
    good = good && asprintf(&text, "Authorization: Bearer %s", token) > 0 &&
           add_header(connection, text);
    free(text);
  }
  rest = text = strdup(more == NULL ? "" : more);
  while (text != NULL && (line = strsep(&rest, "\n")) != NULL)
    if (*line != '\0')
      good = good && add_header(connection, line);
  good = good && text != NULL;
  free(text);
  return good;
}

static void
set_options(struct ship_connection *connection)
{
  CURL *curl = connection->curl;
  const char *certificates = getenv("CURL_CA_BUNDLE");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  /* On a connection that was closed meanwhile libcurl would send a request
   * once more by itself, although it may have arrived. */
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "mprof/" MPROF_VERSION);
  curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   (long)CONNECT_MILLISECONDS);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, connection);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, connection);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, connection->error);
  if (certificates != NULL && *certificates != '\0')
    curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
}

struct ship_connection *
ship_connect(void)
{
  struct ship_connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL)
    return NULL;
  connection->curl = curl_easy_init();
  if (connection->curl == NULL || !add_headers(connection)) {
    ship_disconnect(connection);
    return NULL;
  }
  set_options(connection);
  return connection;
}

void
ship_disconnect(struct ship_connection *connection)
{
  if (connection == NULL)
    return;
  curl_easy_cleanup(connection->curl);
  curl_slist_free_all(connection->headers);
  free(connection);
}

/* ---- a request ---- */

static enum ship_answer
judge_status(const struct ship_connection *connection, long status,
             int64_t *after, char *message)
{
  curl_off_t wait = 0;
  if (status >= 200 && status < 300)
    return SHIP_TAKEN;
  snprintf(message, PROGRAM_MESSAGE_LENGTH, "status %ld%s%s", status,
           connection->length == 0 ? "" : ": ", connection->answer);
  if (curl_easy_getinfo(connection->curl, CURLINFO_RETRY_AFTER, &wait) ==
      CURLE_OK)
    *after =
        1000 * (wait > MOST_SECONDS_TO_WAIT ? MOST_SECONDS_TO_WAIT : wait);
  switch (status) {
  case 413:
    return SHIP_TOO_LARGE;
  case 400:
  case 415:
  case 422: /* Pyroscope says it for all that is behind it, as well */
    return SHIP_REFUSED;
  default: /* a token, a path, a server that will be put right, or a limit */
    return SHIP_AWAY;
  }
}

/* Whether all of the request had left before something went wrong. */
static bool
was_sent(CURL *curl, size_t length)
{
  curl_off_t sent = 0;
  curl_easy_getinfo(curl, CURLINFO_SIZE_UPLOAD_T, &sent);
  return (size_t)sent >= length;
}

enum ship_answer
ship_post(struct ship_connection *connection,
          const struct ship_request *request, int64_t deadline,
          bool (*go_on)(void *closure), void *closure, int64_t *after,
          char *message)
{
  CURL *curl = connection->curl;
  char type[80];
  const int64_t left = deadline - ship_now();
  const size_t length = request->body.length;
  struct curl_slist content = {type, connection->headers};
  snprintf(type, sizeof type, "Content-Type: %s", request->content_type);
  connection->length = connection->read = 0;
  connection->answer[0] = connection->error[0] = '\0';
  connection->go_on = go_on;
  connection->closure = closure;
  *after = 0;
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, &content);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.text);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(left > 1 ? left : 1));
  const CURLcode code = curl_easy_perform(curl);
  long status = 0;
  if ((code == CURLE_OK || connection->read > MOST_OF_ANSWER) &&
      curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK)
    return judge_status(connection, status, after, message);
  snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s",
           connection->error[0] != '\0' ? connection->error
                                        : curl_easy_strerror(code));
  return was_sent(curl, length) ? SHIP_MISSED : SHIP_AWAY;
}
