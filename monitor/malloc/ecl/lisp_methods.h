/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_methods.h -- names of the functions of methods, and of those that
 * expand types, which are made without one: what has a name has them.
 *
 * Reads what is in memory, and calls no function of ECL.  Not inside the
 * hook.
 */
#ifndef MPROF_LISP_METHODS_H
#define MPROF_LISP_METHODS_H

/* Name those that there are now. */
void lisp_methods_name(void);

#endif
