/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_role.h -- what byte-compiled functions mean to the phases.
 *
 * The same as phase_role_of (reduce/profile/phase.h) of the name as it is
 * printed, but without printing it, since it is needed inside the hook.  The
 * few that have a name of their own there, such as COMPILE, are compiled in
 * any ECL and are not looked for here.
 */
#ifndef MPROF_LISP_ROLE_H
#define MPROF_LISP_ROLE_H

#include <ecl/ecl.h>

#include "profile/phase.h"

/* The role of the byte-compiled function with this name: ROLE_FORM for what
 * is evaluated and no function.  Inside the hook. */
enum phase_role lisp_role_of_function(cl_object name);

#endif
