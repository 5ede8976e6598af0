/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Lisp process that this library is loaded in, as a program to serve. */

#ifndef MPROF_LISP_PROGRAM_H
#define MPROF_LISP_PROGRAM_H

#include "serve/server.h"

/* Its functions are for a Lisp thread.  NULL: MESSAGE says why. */
const struct program *lisp_program(char *message);

/* mprof_server_open for it, with types that Lisp can pass: the address of the
 * server, or 0. */
MPROF_API unsigned long mprof_lisp_serve(const char *address, unsigned port,
                                         const char *token);

/* Why that was 0; valid until it is called again. */
MPROF_API const char *mprof_lisp_serve_message(void);

#endif
