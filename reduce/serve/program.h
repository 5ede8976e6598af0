/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program whose profile is served or shipped, as its owner shows it: the
 * monitor in a Lisp process, or `mprof run' with a program that it has
 * started.  All functions are called by the thread that runs the server or
 * the shipper, one at a time.
 */

#ifndef MPROF_PROGRAM_H
#define MPROF_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_MESSAGE_LENGTH = 512 };

enum program_snapshot_how {
  SNAPSHOT_COLLECT = 1, /* after a full collection of garbage */
  SNAPSHOT_FILE = 2     /* as octets */
};

/* A profile file in memory, or a profile that is open.  Whoever gets one calls
 * `release' with it, unless that is NULL. */
struct program_snapshot {
  const void *octets;
  size_t length;
  void *profile;      /* of mprof_profile_open_octets, now the caller's: may
                         be in the place of octets, unless a file was asked
                         for */
  int64_t time_nanos; /* since 1970: when the figures were taken */
  void *owned;        /* for `release' */
  void (*release)(struct program_snapshot *snapshot);
};

struct program_status {
  bool counting;
  bool follows;       /* objects until they are dead: what is in use is known */
  int64_t since;      /* seconds since 1970: when its figures begin; 0: there
                         are none */
  uint64_t allocations, bytes, contexts, context_bytes, threads, overflows;
  uint64_t resets;    /* how often the figures were forgotten: differences
                         are of two snapshots with the same number */
};

struct program {
  void *closure; /* handed to each function */
  const char *name;

  /* Signals whose handlers may throw out of what they interrupt: blocked but
   * while there is nothing to do. */
  sigset_t interrupts;

  /* Takes a snapshot; HOW is a sum of enum program_snapshot_how.  False:
   * MESSAGE, which has room for PROGRAM_MESSAGE_LENGTH bytes, says why. */
  bool (*snapshot)(void *closure, unsigned how,
                   struct program_snapshot *snapshot, char *message);

  void (*status)(void *closure, struct program_status *status);
};

#endif
