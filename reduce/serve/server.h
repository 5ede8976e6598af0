/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile that can be watched: an HTTP server in a thread of its owner's.
 *
 * GET /debug/pprof/allocs, /heap, /delta_heap: what Go's net/http/pprof serves,
 * for its clients; / and /debug/pprof/: the state, for people; /flamegraph: the
 * page; /profile: a file for mprof.  POST /start, /stop, /reset, with a token.
 *
 * Model.  One thread does all: it waits for connections (GNU libmicrohttpd in
 * epoll mode), takes snapshots, and writes them.  A request that is to wait
 * some seconds for its second snapshot is suspended.  What starts, stops and
 * resets is the owner's: mprof_server_run gives it back and is told how it
 * went.
 *
 * Hostile clients.  There are MOST_CLIENTS; who has not sent a request
 * after some seconds, or takes too long to read the answer, is cut off, at
 * once when another one wants in.  A request is small, or refused.  Where only
 * this machine is listened to, a request must be for it by name, so that no
 * page in a browser gets in by a name that it has made up (DNS rebinding).
 */

#ifndef MPROF_SERVER_H
#define MPROF_SERVER_H

#include "mprof.h"
#include "serve/program.h"

enum serve_event {
  SERVE_END,   /* mprof_server_stop was called */
  SERVE_START, /* begin to count, ... and so on; then mprof_server_answer */
  SERVE_STOP,
  SERVE_RESET
};

struct serve_options {
  const char *address; /* of an interface, in numbers; NULL: the loopback */
  unsigned port;       /* 0: one that is free */
  const char *token;   /* what allows POST; NULL or "": nothing does */
};

struct server;

/* Begins to listen.  PROGRAM must outlive the server; OPTIONS need not.  NULL:
 * MESSAGE, of PROGRAM_MESSAGE_LENGTH bytes, says why. */
MPROF_API struct server *mprof_server_open(const struct serve_options *options,
                                           const struct program *program,
                                           char *message);

/* The port that it listens to. */
MPROF_API unsigned mprof_server_port(const struct server *server);

/* Serves until something is the owner's to do.  One thread at a time. */
MPROF_API enum serve_event mprof_server_run(struct server *server);

/* Tells the client that asked for it that it was done, where MESSAGE is "", or
 * why not. */
MPROF_API void mprof_server_answer(struct server *server,
                                   const char *message);

/* Has mprof_server_run end.  From any thread. */
MPROF_API void mprof_server_stop(struct server *server);

/* Nobody runs it any more. */
MPROF_API void mprof_server_close(struct server *server);

#endif
