/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An HTTP server of profiles, which runs in a thread of its owner.
 *
 * GET /debug/pprof/allocs and /heap are for clients of Go's net/http/pprof.
 * / and /debug/pprof/ show the state, /flamegraph is the page, and /profile
 * is a file for mprof.  POST /start, /stop and /reset need a token.
 *
 * Model.  One thread waits for connections (GNU libmicrohttpd in epoll mode),
 * takes snapshots, and writes them.  A request that waits for its second
 * snapshot is suspended.  The owner starts, stops and resets the monitor:
 * mprof_server_run returns such a request, and mprof_server_answer takes its
 * result.
 *
 * Hostile clients.  At most MOST_CLIENTS are connected.  A client is cut off
 * when it takes too long to send its request or to read the answer.  A long
 * request is refused.  A server on the loopback interface answers only
 * requests for this machine, so that a page in a browser cannot use it by a
 * name of its own (DNS rebinding).
 */

#ifndef MPROF_SERVER_H
#define MPROF_SERVER_H

#include "base/clock.h"
#include "mprof.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_MESSAGE_LENGTH = 512 };

enum program_snapshot_how {
  SNAPSHOT_COLLECT = 1, /* after a full garbage collection */
  SNAPSHOT_FILE = 2     /* it will be written to a file */
};

struct program_status {
  bool counting;
  bool follows;  /* objects until they are dead: memory in use is known */
  int64_t since; /* when its figures begin, in seconds since 1970; 0: there
                    are none */
  uint64_t allocations, bytes, contexts, context_bytes, threads, overflows;
  uint64_t resets; /* how often the figures were reset: two snapshots can be
                      subtracted if they have the same number */
};

/* The program whose profile is served: the Lisp process itself, or one that
 * `mprof run' has started.  The thread that runs the server calls the
 * program's functions, one at a time. */
struct program {
  void *closure; /* passed to each function */
  const char *name;

  /* Signals whose handlers may jump out of what they interrupt.  They are
   * blocked except while the thread waits. */
  sigset_t interrupts;

  /* Returns what has been counted so far as a profile of mprof.h.  HOW is a
   * sum of enum program_snapshot_how.  On failure returns NULL, and MESSAGE,
   * of PROGRAM_MESSAGE_LENGTH bytes, says why. */
  void *(*snapshot)(void *closure, unsigned how, char *message);

  void (*status)(void *closure, struct program_status *status);
};

struct snapshot {
  void *profile;                /* owned; NULL: there is none */
  struct program_status status; /* at that time */
};

enum serve_event {
  SERVE_END,   /* mprof_server_stop was called */
  SERVE_START, /* start the monitor, then call mprof_server_answer */
  SERVE_STOP,
  SERVE_RESET
};

struct serve_options {
  const char *address; /* numeric, of an interface; NULL: the loopback */
  unsigned port;       /* 0: a free one */
  const char *token;   /* allows POST; NULL or "": POST is refused */
};

struct server;

/* The functions below, for who loads this library when it is needed. */
struct server_calls {
  struct server *(*open)(const struct serve_options *options,
                         const struct program *program, char *message);
  unsigned (*port)(const struct server *server);
  enum serve_event (*run)(struct server *server);
  void (*answer)(struct server *server, const char *message);
  void (*stop)(struct server *server);
  void (*close)(struct server *server);
};
MPROF_API extern const struct server_calls mprof_server_calls;

/* Starts to listen.  PROGRAM must outlive the server; OPTIONS need not.  On
 * failure returns NULL, and MESSAGE, of PROGRAM_MESSAGE_LENGTH bytes, says
 * why.
 */
MPROF_API struct server *
mprof_server_open(const struct serve_options *options,
                  const struct program *program, char *message);

/* The port that it listens to. */
MPROF_API unsigned mprof_server_port(const struct server *server);

/* Serves until the owner has something to do.  Only one thread may call this
 * at a time. */
MPROF_API enum serve_event mprof_server_run(struct server *server);

/* Answers the client that asked for the last event: MESSAGE is "" when it was
 * done, or says why it was not. */
MPROF_API void mprof_server_answer(struct server *server,
                                   const char *message);

/* Makes mprof_server_run return SERVE_END.  Any thread may call this. */
MPROF_API void mprof_server_stop(struct server *server);

/* Frees the server.  No thread may be running it. */
MPROF_API void mprof_server_close(struct server *server);

#endif
