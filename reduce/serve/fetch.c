/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/fetch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_SECONDS = 5, MOST_SECONDS = 60 };

/* What the FILE closure takes. */
static size_t
take(char *text, size_t one, size_t count, void *closure)
{
  (void)one;
  return fwrite(text, 1, count, closure);
}

/* URL with a path; to be freed by curl_free. */
static char *
with_path(const char *url)
{
  CURLU *parts = curl_url();
  char *path = NULL, *whole = NULL;
  if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
      curl_url_get(parts, CURLUPART_PATH, &path, 0) == CURLUE_OK) {
    if (strcmp(path, "/") == 0)
      curl_url_set(parts, CURLUPART_PATH, "/profile", 0);
    curl_url_get(parts, CURLUPART_URL, &whole, 0);
  }
  curl_free(path);
  curl_url_cleanup(parts);
  return whole;
}

const uint8_t *
mprof_fetch(const char *url, size_t *length, char *message)
{
  char *got = NULL, *whole = with_path(url);
  char why[CURL_ERROR_SIZE] = "";
  FILE *file = open_memstream(&got, length);
  CURL *curl = curl_easy_init();
  long status = 0;
  CURLcode code = CURLE_OUT_OF_MEMORY;
  if (curl != NULL && file != NULL && whole != NULL) {
    curl_easy_setopt(curl, CURLOPT_URL, whole);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, file);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)MOST_SECONDS);
    code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  }
  curl_easy_cleanup(curl);
  if (file == NULL || fclose(file) != 0)
    code = CURLE_OUT_OF_MEMORY;
  if (code == CURLE_OK && status == 200) {
    curl_free(whole);
    return (const uint8_t *)got;
  }
  if (code == CURLE_OK)
    snprintf(why, sizeof why, "status %ld", status);
  snprintf(message, FETCH_MESSAGE_LENGTH, "cannot get '%.200s': %.200s",
           whole == NULL ? url : whole,
           *why != '\0' ? why : curl_easy_strerror(code));
  curl_free(whole);
  free(got);
  return NULL;
}
