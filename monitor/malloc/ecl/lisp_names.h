/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_names.h -- Lisp names of functions and classes.
 *
 * Names are taken when a function is made or defined: of C code by where it
 * begins.  A function of the tree gets its name with its number, so that it
 * keeps it when the code is gone.  Byte-compiled functions are sites of their
 * own, SITE_OBJECT | the number of their name.
 *
 * Functions of methods have no name when they are made, nor have local ones:
 * they get it in the end (lisp_methods.h, lisp_calls.h).
 */
#ifndef MPROF_LISP_NAMES_H
#define MPROF_LISP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "names/lisp_printer.h"

enum { LISP_NAME_BYTES = 1024 };

/* As lisp_printer.h has it; what is longer is cut.  May run inside the
 * hook. */
void lisp_names_print(char text[LISP_NAME_BYTES], cl_object x,
                      enum lisp_named what);

/* Take names from now on. */
void lisp_names_open(void);
void lisp_names_forked(void);

/* Note all names that are known: there is another image. */
void lisp_names_note(void);

/* The code at `entry', which has no name yet, is that of a function which was
 * made without one, and which may be called so.  False: it is not called. */
bool lisp_names_nameless(uintptr_t entry, const char *text);

/* The number of that name; 0: no memory.  May run inside the hook. */
uint32_t lisp_names_number(cl_object name);
uint32_t lisp_names_intern(const char *text);

/* Where the function with that number begins; 0: it has no such number. */
uintptr_t lisp_names_start(uint32_t function);

/* The number of the name that code has which begins at `entry', or 0; and the
 * name with that number. */
uint32_t lisp_names_of_code(uintptr_t entry);
const char *lisp_names_text(uint32_t name);

/* Where the code of a compiled function begins; 0: it is another object. */
uintptr_t lisp_names_function_code(cl_object function);

/* The number of a class, at most LISP_MORE_MOST; 0: none. */
uint32_t lisp_names_class(cl_object class);

#endif
