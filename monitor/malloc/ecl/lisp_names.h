/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_names.h -- Lisp names of functions and classes.
 *
 * Names are taken when a function is made or defined: of C code by where it
 * begins.  A function of the tree gets its name with its number, so that it
 * keeps it when the code is gone.  Byte-compiled functions are sites of their
 * own, SITE_OBJECT | the number of their name.
 *
 * Not known are functions that have no name when they are made: local ones,
 * methods, lambda expressions.
 */
#ifndef MPROF_LISP_NAMES_H
#define MPROF_LISP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

/* Take names from now on. */
void lisp_names_open(void);
void lisp_names_forked(void);

/* The name of what is at that site, in the function with that number; NULL:
 * it has none. */
const char *lisp_names_of(uint64_t site, uint32_t function);

/* The number of that name; 0: there is no memory. */
uint32_t lisp_names_number(cl_object name);

/* The number of a class, at most LISP_MORE_MOST; 0: none. */
uint32_t lisp_names_class(cl_object class);

/* What was known of the class with that number. */
const char *lisp_names_class_name(uint32_t number);
bool lisp_names_is_structure(uint32_t number);

#endif
