/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the server share: server.c has connections and their
 * time, requests.c what is asked for, answers.c what is made of profiles,
 * state_page.c the page for people.
 */

#ifndef MPROF_SERVING_H
#define MPROF_SERVING_H

#include "serve/server.h"

#include <microhttpd.h>
#include <stdio.h>

/* A client. */
struct connection {
  int descriptor;
  int64_t deadline;  /* on the monotonic clock, in ns, for what it does now */
  bool asked;        /* a request of its is here */
  struct connection *previous, *next; /* the oldest first */
};

/* A profile that a difference begins with. */
struct base {
  void *profile; /* of mprof_profile_open_octets; NULL: none */
  int64_t time_nanos;
  uint64_t resets;
  bool forgotten; /* the figures were, while it was taken */
};

enum waits_for { WAITS_FOR_NOTHING, WAITS_FOR_TIME, WAITS_FOR_OWNER };

/* From its first line until it is answered. */
struct request {
  struct server *server;
  struct MHD_Connection *connection;
  struct MHD_PostProcessor *form; /* NULL: it has none */
  char token[128];                /* of the form */
  bool too_long;                  /* what was sent with it */
  enum waits_for waits;
  int64_t due;         /* when it has waited: on the monotonic clock */
  struct base base;    /* it waits for the second snapshot since this */
  bool in_use;         /* what is in use comes first */
  bool type_frames;    /* types are frames, not labels */
  struct MHD_Response *response; /* when it has waited */
  unsigned status;
  struct request *next; /* that waits */
};

struct server {
  struct MHD_Daemon *daemon;
  const struct program *program;
  char token[128];
  bool loopback;
  int wake; /* eventfd */
  struct connection *oldest, *newest;
  unsigned connection_count;
  struct request *waiting;
  enum serve_event event; /* for the owner; SERVE_END: nothing is */
  bool stopped;
  bool resumed;           /* a request has waited: libmicrohttpd looks at it
                             when it runs next, and does not say so */
  struct base delta;      /* since /debug/pprof/delta_heap was asked last */
  struct program_status before; /* as of an earlier look, for rates */
  int64_t before_nanos;
};

int64_t monotonic_nanos(void);

/* listen.c: a socket that listens, and whether only to this machine; -1:
 * MESSAGE says why. */
int listen_to(const struct serve_options *options, bool *loopback,
              char *message);

/* ---- requests.c ---- */

/* What libmicrohttpd calls for text with escapes, which stays as it is where
 * one stands for a zero. */
size_t request_unescape(void *closure, struct MHD_Connection *connection,
                        char *text);

/* Answers a request that is complete, or lets it wait. */
enum MHD_Result request_handle(struct request *request, const char *path,
                               const char *method);

/* Makes the response of one that has waited for its time. */
void request_end_wait(struct request *request);

/* ---- answers.c: each makes a response, and its status ---- */

struct MHD_Response *answer_error(unsigned *status, unsigned code,
                                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct MHD_Response *answer_text(const char *type, char *text, size_t length);

/* Takes a snapshot (program.h).  False: MESSAGE says why. */
bool base_take(struct server *server, unsigned how, struct base *base,
               char *message);
void base_release(struct base *base);

/* A heap profile of NOW, or of what came since BEFORE. */
struct MHD_Response *answer_heap(struct request *request,
                                 const struct base *now,
                                 const struct base *before, bool subtract_use,
                                 const char *name);

/* What a command of mprof makes of NOW. */
struct MHD_Response *answer_command(const struct base *now,
                                    const char *arguments, const char *type,
                                    unsigned *status);

/* The file itself. */
struct MHD_Response *answer_file(struct server *server, unsigned how,
                                 unsigned *status);

/* ---- state_page.c ---- */

struct MHD_Response *answer_state(struct server *server, unsigned *status);

#endif
