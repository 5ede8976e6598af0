/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection to another side that takes POST requests, by libcurl.
 *
 * TLS is checked as libcurl does it, with the certificates that the variable
 * CURL_CA_BUNDLE names, if it is set, as for the command curl.  A token in
 * the variable MPROF_SHIP_TOKEN goes as `Authorization: Bearer'; else
 * ~/.netrc may have a password, or the URL.  MPROF_SHIP_HEADERS has more
 * headers, one a line.  None of these is in a message.
 */

#ifndef MPROF_SHIP_POST_H
#define MPROF_SHIP_POST_H

#include "serve/ship_target.h"

struct ship_connection;

/* NULL when memory runs out. */
struct ship_connection *ship_connect(void);
void ship_disconnect(struct ship_connection *connection);

/* How the other side took it. */
enum ship_answer {
  SHIP_TAKEN,
  SHIP_TOO_LARGE,
  SHIP_REFUSED, /* it is wrong, it says */
  SHIP_AWAY,    /* and it may be sent again */
  SHIP_MISSED   /* it was sent, and no answer came */
};

/* Sends REQUEST, and waits for the answer at most until DEADLINE, of
 * CLOCK_MONOTONIC in milliseconds, and while GO_ON says so.  Unless it was
 * taken MESSAGE says why, and *AFTER is how many milliseconds the other side
 * wants to be left alone, or 0. */
enum ship_answer ship_post(struct ship_connection *connection,
                           const struct ship_request *request,
                           int64_t deadline, bool (*go_on)(void *closure),
                           void *closure, int64_t *after, char *message);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t ship_now(void);

#endif
