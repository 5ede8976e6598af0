/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An HTTP server of profiles, which runs in a thread of its owner.
 *
 * GET /debug/pprof/allocs and /heap are for clients of Go's net/http/pprof.
 * /flamegraph is the page, /profile is a file for mprof, and / lists these.
 *
 * Model.  One thread waits for connections (GNU libmicrohttpd in epoll mode),
 * takes snapshots, and writes them.  A request that waits for its second
 * snapshot is suspended.
 *
 * Hostile clients.  At most MOST_CLIENTS are connected.  A client is cut off
 * when it takes too long to send its request or to read the answer.  A server
 * on the loopback interface answers only requests for this machine, so that a
 * page in a browser cannot use it by a name of its own (DNS rebinding).
 */

#pragma once

#include "base/clock.h"
#include "mprof.h"

#include <signal.h>
#include <stdbool.h>

enum { PROGRAM_MESSAGE_LENGTH = 512 };

enum program_snapshot_how {
  SNAPSHOT_COLLECT = 1, /* after a full garbage collection */
  SNAPSHOT_FILE = 2     /* it will be written to a file */
};

/* The program whose profile is served: the Lisp process itself, or one that
 * `mprof run' has started.  The thread that runs the server calls the
 * program's functions, one at a time. */
struct program {
  void *closure; /* passed to each function */

  /* Signals whose handlers may jump out of what they interrupt.  They are
   * blocked except while the thread waits. */
  sigset_t interrupts;

  /* Returns what has been counted so far as a profile of mprof.h, which the
   * server closes.  HOW is a sum of enum program_snapshot_how.  On failure
   * returns NULL, and MESSAGE, of PROGRAM_MESSAGE_LENGTH bytes, says why. */
  void *(*snapshot)(void *closure, unsigned how, char *message);

  /* Returns whether objects are followed until they are dead, so that memory
   * in use is known.  The pointer may be NULL: they always are. */
  bool (*follows)(void *closure);

  /* Returns a number that is another one after each reset of the figures: two
   * snapshots can be subtracted if it was the same for both. */
  uint64_t (*generation)(void *closure);
};

struct server;

/* The functions below, for a program that loads this library when it is
 * needed. */
struct server_calls {
  struct server *(*open)(const char *address, unsigned port,
                         const struct program *program, char *message);
  unsigned (*port)(const struct server *server);
  void (*run)(struct server *server);
  void (*stop)(struct server *server);
  void (*close)(struct server *server);
};
MPROF_API extern const struct server_calls mprof_server_calls;

/* Starts to listen on the interface that has the numeric ADDRESS, NULL:
 * 127.0.0.1, at PORT, 0: a free one.  PROGRAM must outlive the server.
 * Returns a server for mprof_server_run; the caller closes it.  On failure
 * returns NULL, and MESSAGE, of PROGRAM_MESSAGE_LENGTH bytes, says why. */
MPROF_API struct server *mprof_server_open(const char *address, unsigned port,
                                           const struct program *program,
                                           char *message);

/* Returns the port that SERVER listens on. */
MPROF_API unsigned mprof_server_port(const struct server *server);

/* Serves until mprof_server_stop.  Only one thread may call this at a
 * time.  It blocks the program's interrupts except while it waits. */
MPROF_API void mprof_server_run(struct server *server);

/* Makes mprof_server_run return, at once if it is called later.  Any thread
 * may call this, before mprof_server_close. */
MPROF_API void mprof_server_stop(struct server *server);

/* Answers clients that wait with an error, and frees SERVER.  No thread may
 * be using it. */
MPROF_API void mprof_server_close(struct server *server);
