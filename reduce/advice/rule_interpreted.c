/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL interprets what EVAL and LOAD of a source file define. Each variable
 * of an interpreted function is consed.
 */

#include "advice/rules.h"

const struct advice_rule rule_interpreted = {
    .name = "interpreted",
    .grade = GRADE_CHECK,
    .direct = true,
    .interpreted = true,
    .types = NAMES("CONS"),
    .objects = "objects",
    .fault = "is interpreted, not compiled",
    .remedy =
        "Compile it with COMPILE-FILE or COMPILE: the interpreter conses for "
        "each variable and argument. Method combinations other than STANDARD "
        "make functions that are interpreted and cannot be compiled: use "
        "CALL-NEXT-METHOD instead.",
    .example = "(load \"app.lisp\") => (load (compile-file \"app.lisp\"))",
    .unknown = "how many of the conses are the program's own",
};
