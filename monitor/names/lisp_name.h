/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.h -- Lisp names as text, without running Lisp: no allocation from
 * the collector, no printer variables, no user's print methods.
 */
#ifndef MPROF_LISP_NAME_H
#define MPROF_LISP_NAME_H

#include <ecl/ecl.h>

/* The name of a function as PRIN1 writes it from a package that uses nothing,
 * symbols of COMMON-LISP bare and COMMON-LISP-USER as CL-USER:
 * "CL-USER::FOO", "(SETF PKG:BAR)", "(METHOD AREA (INTEGER))".  UTF-8, from
 * malloc; NULL when memory ran out.  Not inside the hook. */
char *lisp_name_of_function(cl_object name);

/* The name of a class, or of a structure that has only a name. */
char *lisp_name_of_class(cl_object clas);

/* Whether a class describes structures (its metaclass is STRUCTURE-CLASS, or
 * it is a bare name). */
int lisp_name_is_structure(cl_object clas);

/* A string as it is, anything else as above: the name of a thread. */
char *lisp_name_of_thread(cl_object name);

#endif
