/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.h -- Lisp names as text, without running Lisp: no allocation from
 * the collector, no printer variables, no user's print methods.
 */
#ifndef MPROF_LISP_NAME_H
#define MPROF_LISP_NAME_H

#include <stdbool.h>

#include <ecl/ecl.h>

#include "common/phase.h"

/* What has a name. */
enum lisp_named {
  NAMED_FUNCTION, /* its name is given; "(TOP-LEVEL-FORM)" for what is
                     evaluated and no function */
  NAMED_CLASS,    /* the class itself, or the name of a structure that has no
                     class */
  NAMED_THREAD    /* its name is given; a string as it is */
};

/* The name as PRIN1 writes it from a package that uses nothing, symbols of
 * COMMON-LISP bare and COMMON-LISP-USER as CL-USER: "CL-USER::FOO",
 * "(SETF PKG:BAR)", "(METHOD AREA (INTEGER))".  UTF-8, from malloc; NULL when
 * memory ran out.  Asks for the runtime's lock on packages.  Not inside the
 * hook. */
char *lisp_name(cl_object x, enum lisp_named what);

/* What the byte-compiled function with this name means to the phases: the
 * same as phase_role_of says of the above, but it may run inside the hook. */
enum phase_role lisp_name_role(cl_object name);

/* Whether a class describes structures (its metaclass is STRUCTURE-CLASS, or
 * it is a bare name). */
bool lisp_name_is_structure(cl_object clas);

#endif
