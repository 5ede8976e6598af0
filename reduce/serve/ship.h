/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ships the profile of a program to an engine for many of them, in a thread
 * of its owner's: what was allocated since the last time, again and again.
 *
 * Model.  A period lasts from one snapshot to another; what it has is their
 * difference, in parts that the other side takes at once.  A period of which
 * no part has arrived yet goes on until now.  What comes after some of its
 * parts have arrived is in a second period, which goes on meanwhile.  So an
 * outage costs resolution in time and neither memory nor figures, even those
 * that were forgotten.
 *
 * A part that the other side takes for wrong is sent three times, since
 * servers say so as well when something behind them is away; then it is
 * dropped and counted.  For anything else that goes wrong it is sent again,
 * later and later, or when the other side asks for it.
 *
 * Limits.  When a connection breaks before the answer came, the part may have
 * arrived, and is sent again: such answers are counted as missed.
 */

#ifndef MPROF_SHIP_H
#define MPROF_SHIP_H

#include "mprof.h"
#include "serve/program.h"

struct ship_options {
  const char *url;
  const char *protocol;   /* pyroscope, parca, otel; NULL or "": by the URL */
  const char *service;    /* NULL or "": by the name of the program */
  const char *labels;     /* NAME=VALUE, one a line; the host is added */
  unsigned long every;    /* milliseconds; 0: 15 seconds */
  unsigned long deadline; /* for the end, in milliseconds; 0: 5 seconds */
};

/* What is counted.  Allocations and bytes are exact. */
enum ship_count {
  SHIP_ALLOCATIONS, /* that have arrived, */
  SHIP_BYTES,
  SHIP_REQUESTS, /* in how many of these, */
  SHIP_OCTETS,   /* and how large these were */
  SHIP_FAILURES, /* requests that did not arrive */
  SHIP_MISSED,   /* of these, perhaps they did */
  SHIP_DROPPED_ALLOCATIONS,
  SHIP_DROPPED_BYTES,
  SHIP_DROPPED_PARTS,
  SHIP_COUNTS
};

struct shipper;

/* Sends nothing yet.  PROGRAM must outlive the shipper; OPTIONS need not.
 * NULL: MESSAGE, of PROGRAM_MESSAGE_LENGTH bytes, says why. */
MPROF_API struct shipper *mprof_ship_open(const struct ship_options *options,
                                          const struct program *program,
                                          char *message);

/* Ships until mprof_ship_stop, and then what there is.  Says on standard
 * error when the other side does not take it, and when it does again.  A
 * thread that one of the program's interrupts has thrown out of this while it
 * had nothing to do has left it whole: another one may run it. */
MPROF_API void mprof_ship_run(struct shipper *shipper);

/* The figures are about to be forgotten: takes a snapshot.  From any thread
 * that may take one. */
MPROF_API void mprof_ship_note(struct shipper *shipper);

/* Has mprof_ship_run end, within the deadline.  From any thread. */
MPROF_API void mprof_ship_stop(struct shipper *shipper);

/* Ships PROFILE, of mprof_profile_open, within the deadline: in place of
 * mprof_ship_run.  It is the shipper's from now on. */
MPROF_API void mprof_ship_profile(struct shipper *shipper, void *profile);

/* When nobody runs it any more: the count WHICH; all of them in a line, with
 * why the last request failed, if something was dropped, valid until the
 * shipper is closed; and that. */
MPROF_API unsigned long long mprof_ship_count(const struct shipper *shipper,
                                              enum ship_count which);
MPROF_API const char *mprof_ship_summary(struct shipper *shipper);
MPROF_API void mprof_ship_close(struct shipper *shipper);

#endif
