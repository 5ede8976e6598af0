/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which functions are ECL's own, by the names that they show. */

#ifndef MPROF_SYSTEM_FUNCTIONS_H
#define MPROF_SYSTEM_FUNCTIONS_H

#include <stdbool.h>

/* Whether NAME, such as MAPCAR, SI:MAKE-VECTOR or (METHOD MAKE-INSTANCE
 * (CLASS)), is made of symbols of ECL's packages alone, or of mprof's; a bare
 * symbol is one of COMMON-LISP.  False for names without a symbol, such as
 * (LAMBDA), and for those of C functions. */
bool is_system_function(const char *name);

#endif
