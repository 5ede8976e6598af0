/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_text.h -- names of Lisp functions and classes, as names/lisp_name.h
 * has them, but by nothing than what is in memory: no function of ECL is
 * called.
 *
 * May run inside the hook.  Names are cut at LISP_TEXT_BYTES.
 */
#ifndef MPROF_LISP_TEXT_H
#define MPROF_LISP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <ecl/ecl.h>

enum { LISP_TEXT_BYTES = 1024 };

/* The name of a function; of a class, an object, its own. */
void lisp_text_function(char text[LISP_TEXT_BYTES], cl_object name);
void lisp_text_class(char text[LISP_TEXT_BYTES], cl_object class);

/* Whether the class is one of structures. */
bool lisp_text_is_structure(cl_object class);

#endif
