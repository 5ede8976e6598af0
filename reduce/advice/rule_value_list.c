/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list of several values. NTH-VALUE makes one, too, where the compiler
 * knows no better.
 */

#include "advice/rules.h"

const struct advice_rule rule_value_list = {
    .name = "value-list",
    .grade = GRADE_CHECK,
    .called = NAMES("ecl_apply_from_stack_frame"),
    .leaf = NAMES("LIST"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "makes lists of multiple values",
    .remedy = "Bind the values to variables with MULTIPLE-VALUE-BIND. In "
              "ECL, NTH-VALUE conses a list of all values.",
    .example = "(nth-value 1 (floor a b)) => (multiple-value-bind (q r) "
               "(floor a b) (declare (ignore q)) r)",
    .unknown = "whether the list is needed",
};
