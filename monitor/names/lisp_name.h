/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.h -- Lisp names as text, without running Lisp: no allocation from
 * the collector.
 */
#ifndef MPROF_LISP_NAME_H
#define MPROF_LISP_NAME_H

#include "common/phase.h"
#include "names/lisp_printer.h"

/* The name as lisp_printer_name writes it, from malloc; NULL when memory ran
 * out.  Not inside the hook. */
char *lisp_name(cl_object x, enum lisp_named what);

/* What the byte-compiled function with this name means to the phases: the
 * same as phase_role_of says of the above, but it may run inside the hook. */
enum phase_role lisp_name_role(cl_object name);

#endif
