/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program whose profile is served or shipped, as its owner shows it: the
 * monitor in a Lisp process, or `mprof run' with a program that it has
 * started.  The thread that runs the server or the shipper calls its
 * functions, or who is about to forget figures; those for one server or
 * shipper one at a time.
 */

#ifndef MPROF_PROGRAM_H
#define MPROF_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { PROGRAM_MESSAGE_LENGTH = 512 };

enum program_snapshot_how {
  SNAPSHOT_COLLECT = 1, /* after a full collection of garbage */
  SNAPSHOT_FILE = 2     /* to be written to a file */
};

struct program_status {
  bool counting;
  bool follows;  /* objects until they are dead: what is in use is known */
  int64_t since; /* seconds since 1970: when its figures begin; 0: there
                    are none */
  uint64_t allocations, bytes, contexts, context_bytes, threads, overflows;
  uint64_t resets; /* how often the figures were forgotten: differences
                      are of two snapshots with the same number */
};

struct program {
  void *closure; /* handed to each function */
  const char *name;

  /* Signals whose handlers may throw out of what they interrupt: blocked but
   * while there is nothing to do. */
  sigset_t interrupts;

  /* What has been counted until now, as mprof_profile_open gives it out; HOW
   * is a sum of enum program_snapshot_how.  NULL: MESSAGE, which has room for
   * PROGRAM_MESSAGE_LENGTH bytes, says why. */
  void *(*snapshot)(void *closure, unsigned how, char *message);

  void (*status)(void *closure, struct program_status *status);
};

struct snapshot {
  void *profile; /* owned; NULL: there is none */
  int64_t time;  /* when it was taken, in nanoseconds since 1970 */
  struct program_status status; /* as of then */
};

/* Takes a snapshot that is not of before a reset while the status is of after
 * it.  False: MESSAGE says why, and only the status is known. */
bool snapshot_take(const struct program *program, unsigned how,
                   struct snapshot *snapshot, char *message);

/* The time of CLOCK in nanoseconds. */
int64_t clock_nanos(clockid_t clock);

#endif
