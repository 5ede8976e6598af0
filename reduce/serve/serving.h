/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the server share: server.c has the clients and their
 * deadlines, requests.c the requests and answers.
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
  int64_t deadline;   /* of the monotonic clock, in ns: it is cut off then, or
                         has waited long enough */
  bool asked;         /* it has sent a request */
  bool waits;         /* for its deadline */
  bool takes_interim; /* answers before the last one: HTTP/1.1 */
  bool was_asked;     /* whether it is there */
  struct snapshot base;          /* the first of two */
  const struct page *page;       /* that it asks for; see requests.c */
  struct MHD_Response *response; /* the answer, and its status */
  unsigned status;
};

struct server {
  struct MHD_Daemon *daemon;
  const struct program *program;
  bool loopback;
  int wake; /* eventfd */
  struct client clients[MOST_CLIENTS];
  bool has_room; /* a connection has ended in this run of libmicrohttpd */
  bool stopped;
};

/* Answers a complete request, or makes it wait. */
void request_answer(struct client *client, const char *path,
                    const char *method);

/* Answers a request that has waited until its deadline. */
void request_end_wait(struct client *client);

/* Sets the answer to an error, which TEXT says. */
void answer_error(struct client *client, unsigned status, const char *text);
