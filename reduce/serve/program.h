/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program whose profile is served: the Lisp process itself, or one that
 * `mprof run' has started.  The thread that runs the server calls the
 * program's functions, one at a time.
 */

#ifndef MPROF_PROGRAM_H
#define MPROF_PROGRAM_H

#include "base/clock.h"

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

/* The Lisp process that has loaded this library (lisp.c).  NULL: it has no
 * monitor. */
const struct program *lisp_program(void);

/* The profile of what it has counted, in the image of LENGTH bytes at OCTETS:
 * with its timeline, if it has one (timeline.c).  As of
 * mprof_profile_open_octets. */
void *lisp_profile(const void *octets, uint64_t length);

#endif
