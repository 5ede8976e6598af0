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
    .fault = "is interpreted, and not compiled",
    .remedy = "Compile it, by COMPILE-FILE or COMPILE: the "
              "interpreter conses for each variable and "
              "argument. What method combinations other than "
              "STANDARD make is interpreted and cannot be "
              "compiled: there use CALL-NEXT-METHOD.",
    .example = "(load \"app.lisp\") => (load (compile-file \"app.lisp\"))",
    .unknown = "how many of the conses are the program's own",
};
