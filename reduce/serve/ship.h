/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ships the profile of a program to an engine for many of them, in a thread
 * of its owner's: what was allocated since the last time, again and again.
 *
 * Model.  A period lasts from one snapshot to another; what it has is their
 * difference, in parts that the other side takes at once.  A period of which
 * no part has arrived yet is not kept beside a newer one: it goes on until
 * now.  So an outage costs resolution in time and neither memory nor figures.
 * Periods end for good when the figures are forgotten, and when some parts of
 * them have arrived: those that are waiting are bounded in number and bytes,
 * the oldest is dropped, and what it had is counted.
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
  const char *labels;     /* NAME=VALUE, one a line; NULL: the host alone */
  unsigned long every;    /* milliseconds; 0: 15 seconds */
  unsigned long deadline; /* for the end, in milliseconds; 0: 5 seconds */
};

/* What has become of it.  Allocations and bytes are exact. */
struct ship_counts {
  uint64_t allocations, bytes; /* that have arrived */
  uint64_t requests, octets;   /* and in how many of these, compressed */
  uint64_t failures;           /* requests that did not arrive */
  uint64_t missed;             /* of these, perhaps they did */
  uint64_t dropped_allocations, dropped_bytes, dropped_parts;
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

/* The figures are about to be forgotten: has a snapshot taken by the thread
 * that runs the shipper, and waits for that, but no longer than the deadline.
 * From another thread. */
MPROF_API void mprof_ship_note(struct shipper *shipper);

/* Has mprof_ship_run end, within the deadline.  From any thread. */
MPROF_API void mprof_ship_stop(struct shipper *shipper);

/* Ships one profile, LENGTH bytes at OCTETS, as it is, within the deadline:
 * in place of mprof_ship_run. */
MPROF_API void mprof_ship_file(struct shipper *shipper, const void *octets,
                               uint64_t length);

/* The last is exact when nobody runs it any more. */
MPROF_API void mprof_ship_count(struct shipper *shipper,
                                struct ship_counts *counts);

/* The counts in a line, and why the last request failed, if it did: MESSAGE
 * has room for PROGRAM_MESSAGE_LENGTH bytes.  False: not all has arrived. */
MPROF_API int mprof_ship_summary(struct shipper *shipper, char *message);

/* Nobody runs it any more. */
MPROF_API void mprof_ship_close(struct shipper *shipper);

#endif
