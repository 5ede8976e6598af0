/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function that captures variables is made each time that control passes
 * it.
 */

#include "advice/rules.h"

const struct advice_rule rule_closure = {
    .name = "closure",
    .grade = GRADE_CHECK,
    .saving = SAVES_ALL_OF_MANY,
    .called = NAMES("ecl_make_cclosure_va"),
    .types = NAMES("CLOSURE"),
    .objects = "closures",
    .fault = "makes closures",
    .remedy = "Make the closure once, outside of the loop or the "
              "function, or pass what it captures as arguments. "
              "LABELS and FLET cost nothing when they are only "
              "called. HANDLER-CASE makes a closure, and so does "
              "RETURN-FROM out of a function that is passed.",
    .example = "(mapcar (lambda (x) (+ x n)) list) => (loop for x "
               "in list collect (+ x n))",
    .unknown = "whether they are kept, and whether the variables that they "
               "capture change from call to call; conses and boxes for these "
               "variables come on top",
};
