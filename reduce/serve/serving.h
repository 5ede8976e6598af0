/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the server share: server.c has the clients and their
 * deadlines, requests.c the requests and answers.  All of it belongs to the
 * thread that serves, but for `wake'.
 */

#pragma once

#include "serve/server.h"

#include <microhttpd.h>

enum { MOST_CLIENTS = 64 }; /* descriptors that the program does without */

struct snapshot {
  void *profile;       /* owned; NULL: there is none */
  uint64_t generation; /* of the program's figures, at that time */
};

/* A connection, and the request that it makes. */
struct client {
  struct server *server;
  struct MHD_Connection *connection; /* NULL: this place is free */
  int descriptor;
  int64_t deadline;     /* CLOCK_MONOTONIC, ns: then it is cut off or, if it
                           waits, answered */
  bool asked;           /* it has sent a request */
  bool waits;           /* for its deadline; it is suspended */
  bool takes_interim;   /* it reads interim answers: HTTP/1.1 */
  bool was_asked;       /* it has got one, as a probe whether it is there */
  struct snapshot base; /* the first of two, while it waits */
  const struct page *page;       /* that it asks for; see requests.c */
  struct MHD_Response *response; /* owned; NULL: none yet, or no memory */
  unsigned status;               /* of HTTP, for the response */
};

struct server {
  struct MHD_Daemon *daemon;
  const struct program *program;
  bool loopback;
  int wake; /* eventfd: it is to stop */
  struct client clients[MOST_CLIENTS];
  bool has_room; /* a connection has ended in this run of libmicrohttpd */
  bool stopped;  /* `wake' has said so */
};

/* Sets the response of CLIENT to its complete request, or makes it wait. */
void request_answer(struct client *client, const char *path,
                    const char *method);

/* Sets the response of CLIENT, which has waited until its deadline. */
void request_end_wait(struct client *client);

/* Sets the response of CLIENT to an error with the HTTP STATUS and a copy of
 * TEXT as its line. */
void answer_error(struct client *client, unsigned status, const char *text);
