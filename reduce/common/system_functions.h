/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which functions are ECL's own, by the names that they show and the source
 * files that they come from. */

#ifndef MPROF_SYSTEM_FUNCTIONS_H
#define MPROF_SYSTEM_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a function is ECL's own, or mprof's: the source FILE ("" when not
 * known) is theirs, as with (LAMBDA :IN (LOAD "FORMAT.LSP")); or NAME, such
 * as MAPCAR, SI:MAKE-VECTOR or (METHOD MAKE-INSTANCE (CLASS)), is made of
 * symbols of their packages alone; a bare symbol is one of COMMON-LISP. False
 * for names without a symbol, such as (LAMBDA), and for those of C functions.
 */
bool is_system_function(const char *name, const char *file);

/* Whether the first LENGTH bytes of TEXT are the name of one of the packages,
 * or a word such as LAMBDA that begins a list and is no function's name. */
bool is_system_package(const char *text, size_t length);
bool is_kind_of_function(const char *text, size_t length);

#endif
