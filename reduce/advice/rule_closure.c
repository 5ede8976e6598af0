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
    .remedy =
        "Make the closure once, outside the loop or the function, or pass "
        "the captured values as arguments. LABELS and FLET cost nothing if "
        "their functions are only called. HANDLER-CASE makes a closure. So "
        "does RETURN-FROM out of a function that is passed to another.",
    .example = "(mapcar (lambda (x) (+ x n)) list) => (loop for x "
               "in list collect (+ x n))",
    .unknown = "whether the closures are kept, and whether the captured "
               "variables change from call to call; boxes and conses for "
               "these variables come in addition",
};
