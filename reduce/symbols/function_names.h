/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a C or C++ function is called in tables, given its linker's name. */

#ifndef MPROF_FUNCTION_NAMES_H
#define MPROF_FUNCTION_NAMES_H

#include <stdbool.h>

/* The name of the function that SYMBOL names: what a compiler appends for its
 * own copies of a function (".cold", ".constprop.0", ".isra.0", ...) is left
 * out, and a name of C++, Rust or D is made readable, with the types of the
 * parameters, which tell overloaded functions apart.  ".part.0" stays: it is
 * called by the function.  The caller frees it; NULL when memory runs out. */
char *function_name_of_symbol(const char *symbol);

/* Whether the function called NAME, of the program or library FILE, begins a
 * program, a thread or a library before any function of the program runs:
 * such functions are hidden as those of a runtime are, so that chains begin
 * at main. */
bool is_start_up_function(const char *name, const char *file);

/* Whether FILE is the C library or the dynamic linker, by its name: what has
 * no name there at the beginning of a chain is start-up code. */
bool is_c_library(const char *file);

#endif
