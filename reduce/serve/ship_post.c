/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/shipping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CONNECT_MILLISECONDS = 5000,
  MOST_SECONDS_TO_WAIT = 3600, /* whatever the server asks for */
  MOST_OF_ANSWER = 65536       /* bytes of an answer that are read */
};

/* ---- functions that libcurl calls ---- */

static size_t
take_answer(char *text, size_t one, size_t count, void *closure)
{
  struct shipper *shipper = closure;
  (void)one;
  for (size_t i = 0; i < count && shipper->read + i < SHIP_ANSWER_LENGTH; i++)
    shipper->answer[shipper->read + i] =
        (unsigned char)text[i] < ' ' ? ' ' : text[i];
  shipper->read += count;
  return shipper->read > MOST_OF_ANSWER ? 0 : count;
}

static int
watch(void *shipper, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  (void)a, (void)b, (void)c, (void)d;
  return ship_goes_on(shipper) ? 0 : 1;
}

/* ---- the connection ---- */

static bool
add_header(struct shipper *shipper, const char *header)
{
  struct curl_slist *longer = curl_slist_append(shipper->headers, header);
  if (longer != NULL)
    shipper->headers = longer;
  return longer != NULL;
}

/* Adds the headers of all requests, among them those of the environment. */
static bool
add_headers(struct shipper *shipper)
{
  const char *token = secure_getenv("MPROF_SHIP_TOKEN");
  const char *more = secure_getenv("MPROF_SHIP_HEADERS");
  char *text = NULL, *rest, *line;
  bool good = add_header(shipper, "Expect:"); /* saves a round trip */
  if (token != NULL && *token != '\0') {
    good = good && asprintf(&text, "Authorization: Bearer %s", token) > 0 &&
           add_header(shipper, text);
    free(text);
  }
  rest = text = strdup(more == NULL ? "" : more);
  while (text != NULL && (line = strsep(&rest, "\n")) != NULL)
    if (*line != '\0')
      good = good && add_header(shipper, line);
  good = good && text != NULL;
  free(text);
  return good;
}

bool
ship_connect(struct shipper *shipper)
{
  CURL *curl = shipper->curl = curl_easy_init();
  const char *certificates = secure_getenv("CURL_CA_BUNDLE");
  if (curl == NULL || !add_headers(shipper))
    return false;
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  /* If a reused connection was closed, libcurl would send a request again by
   * itself, although it may have arrived. */
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "mprof/" MPROF_VERSION);
  curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   (long)CONNECT_MILLISECONDS);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, shipper);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, shipper);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, shipper->error);
  if (certificates != NULL && *certificates != '\0')
    curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
  return true;
}

void
ship_disconnect(struct shipper *shipper)
{
  curl_easy_cleanup(shipper->curl);
  curl_slist_free_all(shipper->headers);
}

/* ---- a request ---- */

/* Notes why the server did not take a request, and how long to wait. */
static void
note_status(struct shipper *shipper, long status)
{
  curl_off_t wait = 0;
  snprintf(shipper->message, sizeof shipper->message, "status %ld%s%s",
           status, shipper->read == 0 ? "" : ": ", shipper->answer);
  curl_easy_getinfo(shipper->curl, CURLINFO_RETRY_AFTER, &wait);
  shipper->after =
      1000 * (wait > MOST_SECONDS_TO_WAIT ? MOST_SECONDS_TO_WAIT : wait);
}

/* Sends the LENGTH bytes at BODY to URL.  Returns what ship_post does. */
static long
post(struct shipper *shipper, const char *url, const char *type,
     const char *body, size_t length, int64_t deadline)
{
  CURL *curl = shipper->curl;
  const int64_t left = deadline - ship_now();
  struct curl_slist content = {(char *)(uintptr_t)type, shipper->headers};
  curl_off_t sent = 0;
  long status = 0;
  memset(shipper->answer, 0, sizeof shipper->answer);
  shipper->read = 0;
  shipper->error[0] = '\0';
  shipper->counts[SHIP_REQUESTS]++;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, &content);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(left > 1 ? left : 1));
  pthread_mutex_unlock(&shipper->one);
  const CURLcode code = curl_easy_perform(curl);
  pthread_mutex_lock(&shipper->one);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_SIZE_UPLOAD_T, &sent);
  if (code == CURLE_OK || shipper->read > MOST_OF_ANSWER) {
    if (!ship_is_taken(status))
      note_status(shipper, status);
    return status;
  }
  snprintf(shipper->message, sizeof shipper->message, "%s",
           shipper->error[0] != '\0' ? shipper->error
                                     : curl_easy_strerror(code));
  return (size_t)sent >= length ? SHIP_UNKNOWN : SHIP_AWAY;
}

struct raw_body {
  const struct ship_target *target;
  const struct ship_part *part;
  struct string_sink text;
};

static void
write_raw(void *closure)
{
  struct raw_body *body = closure;
  string_sink_init(&body->text);
  ship_target_write_raw(body->target, body->part, &body->text.sink);
  string_sink_text(&body->text);
}

long
ship_post(struct shipper *shipper, const struct ship_part *part,
          int64_t deadline)
{
  const bool json = shipper->target.protocol == SHIP_PARCA;
  struct raw_body raw = {.target = &shipper->target, .part = part};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  char *url = ship_target_url(&shipper->target, part);
  long status = SHIP_AWAY;
  shipper->after = 0;
  if (url == NULL || (json && !attempt(&pool, write_raw, &raw, &error)))
    snprintf(shipper->message, sizeof shipper->message, "out of memory");
  else
    status =
        post(shipper, url,
             json ? "Content-Type: application/json"
                  : "Content-Type: application/octet-stream",
             json ? raw.text.text : mprof_result_output(part->profiles[0]),
             json ? raw.text.length : mprof_result_length(part->profiles[0]),
             deadline);
  pool_release(&pool);
  curl_free(url);
  return status;
}
