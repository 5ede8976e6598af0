/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the server share: server.c has clients and their time,
 * requests.c what is asked for and the answers, state_page.c the page for
 * people.
 */

#ifndef MPROF_SERVING_H
#define MPROF_SERVING_H

#include "serve/server.h"

#include <microhttpd.h>

enum {
  MOST_CLIENTS = 64, /* descriptors that the program does without */
  TOKEN_BYTES = 128
};

/* A connection, and the request that it makes. */
struct client {
  struct server *server;
  struct MHD_Connection *connection; /* NULL: this place is free */
  int descriptor;
  int64_t deadline; /* on the monotonic clock, in ns: when it is cut off, or
                       has waited */
  bool asked;       /* a request of its is here */

  struct MHD_PostProcessor *form; /* NULL: it has none */
  char token[TOKEN_BYTES];        /* of the form */
  bool too_long;                  /* what was sent with it */
  bool waits;                     /* for its deadline, or the owner */
  struct snapshot base;           /* the first of two */
  bool in_use;                    /* what is in use comes first */
  bool type_frames;               /* types are frames, not labels */
  struct MHD_Response *response;  /* the answer, and its status */
  unsigned status;
};

struct server {
  struct MHD_Daemon *daemon;
  const struct program *program;
  char token[TOKEN_BYTES];
  bool loopback;
  int wake; /* eventfd */
  struct client clients[MOST_CLIENTS];
  int client_count;
  enum serve_event event; /* for the owner; SERVE_END: nothing is */
  struct client *asking;  /* who waits for it; NULL: it has gone away */
  bool stopped;
  struct snapshot delta; /* since /debug/pprof/delta_heap was asked last */
  struct program_status before; /* as of an earlier look, for rates */
  int64_t before_nanos;
};

/* What libmicrohttpd calls for text with escapes, which stays as it is where
 * one stands for a zero. */
size_t request_unescape(void *closure, struct MHD_Connection *connection,
                        char *text);

/* Answers a request that is complete, or lets it wait. */
void request_answer(struct client *client, const char *path,
                    const char *method);

/* Answers one that has waited for its deadline. */
void request_end_wait(struct client *client);

/* Each makes the client's answer.  TEXT of answer_text, LENGTH bytes, is
 * freed when it has been sent. */
void answer_error(struct client *client, unsigned status, const char *text);
void answer_text(struct client *client, unsigned status, const char *type,
                 char *text, size_t length);

/* state_page.c: NULL */
const char *answer_state(struct client *client, int unused);

#endif
