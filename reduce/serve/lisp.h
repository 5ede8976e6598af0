/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Lisp process that this library is loaded in, as a program to serve and
 * to ship: with types that Lisp can pass.
 */

#ifndef MPROF_SERVE_LISP_H
#define MPROF_SERVE_LISP_H

#include "mprof.h"

/* mprof_server_open for it: the address of the server, or 0.  An ADDRESS ""
 * is the loopback. */
MPROF_API unsigned long mprof_lisp_serve(const char *address, unsigned port,
                                         const char *token);

/* mprof_ship_open for it: the address of a shipper, or 0; EVERY is in
 * milliseconds. */
MPROF_API unsigned long mprof_lisp_ship(const char *url, const char *protocol,
                                        const char *service,
                                        const char *labels,
                                        unsigned long every);

/* Why that was 0; valid until one of them is called again. */
MPROF_API const char *mprof_lisp_message(void);

#endif
