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
    .remedy = "Compile it: COMPILE-FILE and LOAD of the result, or "
              "COMPILE. The conses of the interpreter, for each variable "
              "and argument, are gone then. Method combinations other than "
              "STANDARD are interpreted, too.",
    .example = "(load \"app.lisp\") => (load (compile-file \"app.lisp\"))",
    .unknown = "how many of the conses are the program's own",
};
