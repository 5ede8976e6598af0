/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function without captured variables, as FORMATTER makes one, is made
 * anew where it is passed.
 */

#include "advice/rules.h"

const struct advice_rule rule_function_object = {
    .name = "function-object",
    .grade = GRADE_CERTAIN,
    .saving = SAVES_ALL_OF_MANY,
    .called = NAMES("ecl_make_cfun_va", "ecl_make_cfun"),
    .types = NAMES("COMPILED-FUNCTION"),
    .objects = "functions",
    .fault = "makes function objects that capture nothing",
    .remedy = "Make the object once, with LOAD-TIME-VALUE, or pass a global "
              "function by name.",
    .example = "(formatter \"~a\") => (load-time-value (formatter "
               "\"~a\"))",
};
