/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.h -- Lisp names as text, without running Lisp: no allocation from
 * the collector.
 */
#ifndef MPROF_LISP_NAME_H
#define MPROF_LISP_NAME_H

#include "names/lisp_printer.h"

/* The name as lisp_printer_name writes it, from malloc; NULL when memory ran
 * out.  Not inside the hook. */
char *lisp_name(cl_object x, enum lisp_named what);

#endif
