/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shipper sends a program's profile to a profile server, in a thread of its
 * owner: at each interval, what was allocated since the last one.
 *
 * Model.  A period lasts from one snapshot to another, and contains their
 * difference.  It is sent in parts, each small enough for the server.  As
 * long as no part of a period has arrived, later snapshots extend it.  Once
 * some parts have arrived, later snapshots extend a second period.  So an
 * outage costs resolution in time, but no memory and no figures, even if
 * these are reset meanwhile.
 *
 * A part that the server rejects as invalid is sent three times, since
 * servers also do so when something behind them is down.  Then it is dropped
 * and counted.  After any other failure it is sent again, at growing
 * intervals or when the server asks for it.
 *
 * Limits.  If a connection breaks before the answer, the part may have
 * arrived. It is sent again, and counted as missed.
 */

#ifndef MPROF_SHIP_H
#define MPROF_SHIP_H

#include "mprof.h"
#include "serve/program.h"

struct ship_options {
  const char *url;        /* PROTOCOL+http://..., or the path says which */
  const char *labels;     /* lines NAME=VALUE; the host is added, and the
                             program as service_name */
  unsigned long every;    /* milliseconds; 0: 15 seconds */
  unsigned long deadline; /* for the end, in milliseconds; 0: 5 seconds */
};

/* What is counted.  Allocations and bytes are exact. */
enum ship_count {
  SHIP_ALLOCATIONS, /* that have arrived */
  SHIP_BYTES,       /* likewise */
  SHIP_REQUESTS,    /* that were sent */
  SHIP_OCTETS,      /* of the profiles that have arrived */
  SHIP_FAILURES,    /* requests that failed */
  SHIP_MISSED,      /* those among them that had no answer */
  SHIP_DROPPED_ALLOCATIONS,
  SHIP_DROPPED_BYTES,
  SHIP_DROPPED_PARTS,
  SHIP_COUNTS
};

struct shipper;

/* Makes a shipper, which sends nothing yet.  PROGRAM must outlive it; OPTIONS
 * need not.  On failure returns NULL, and MESSAGE, of PROGRAM_MESSAGE_LENGTH
 * bytes, says why. */
MPROF_API struct shipper *mprof_ship_open(const struct ship_options *options,
                                          const struct program *program,
                                          char *message);

/* Ships until mprof_ship_stop is called, and then ships the rest.  Reports on
 * standard error when the server fails, and when it works again.  If one of
 * the program's interrupts jumps out of this function, the shipper stays
 * valid, and another thread may run it. */
MPROF_API void mprof_ship_run(struct shipper *shipper);

/* Takes a snapshot, before the figures are reset.  Any thread that may take
 * one may call this. */
MPROF_API void mprof_ship_note(struct shipper *shipper);

/* Makes mprof_ship_run return within the deadline.  Any thread may call this.
 */
MPROF_API void mprof_ship_stop(struct shipper *shipper);

/* Ships PROFILE, of mprof_profile_open, within the deadline, in place of
 * mprof_ship_run.  Takes ownership of PROFILE. */
MPROF_API void mprof_ship_profile(struct shipper *shipper, void *profile);

/* Returns the count WHICH.  No thread may be running the shipper, here and in
 * what follows. */
MPROF_API unsigned long long mprof_ship_count(const struct shipper *shipper,
                                              enum ship_count which);

/* Returns a line with the counts and, if something was dropped, why the last
 * request failed.  It is valid until the shipper is closed. */
MPROF_API const char *mprof_ship_summary(struct shipper *shipper);

MPROF_API void mprof_ship_close(struct shipper *shipper);

#endif
