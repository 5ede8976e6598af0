/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shipper of a Lisp process, with types that Lisp can pass. */

#ifndef MPROF_LISP_SHIP_H
#define MPROF_LISP_SHIP_H

#include "serve/ship.h"

/* mprof_ship_open: the address of a shipper, or 0; EVERY is in milliseconds.
 */
MPROF_API unsigned long mprof_lisp_ship(const char *url, const char *protocol,
                                        const char *service,
                                        const char *labels,
                                        unsigned long every);

/* Why that was 0, for NULL; else the summary of SHIPPER.  Valid until the
 * next call of both. */
MPROF_API const char *mprof_lisp_ship_message(struct shipper *shipper);

/* The count WHICH, 0 for the first of struct ship_counts. */
MPROF_API unsigned long long mprof_lisp_ship_count(struct shipper *shipper,
                                                   int which);

#endif
