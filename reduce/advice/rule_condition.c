/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A condition is an instance: making one conses its initargs several times,
 * and functions for its initforms.
 */

#include "advice/rules.h"

const struct advice_rule rule_condition = {
    .name = "condition",
    .grade = GRADE_CHECK,
    .through = NAMES("MAKE-CONDITION", "ERROR", "CERROR", "SIGNAL", "WARN",
                     "SI:SIGNAL-SIMPLE-ERROR", "SI:SIGNAL-TYPE-ERROR",
                     "CEerror", "FEerror", "FEcannot_open", "FEcontrol_error",
                     "FEdivision_by_zero", "FEend_of_file", "FElibc_error",
                     "FEprogram_error", "FEreader_error",
                     "FEunbound_variable", "FEundefined_function",
                     "FEwrong_type_argument", "FEwrong_type_key_arg",
                     "FEwrong_type_nth_arg", "FEwrong_type_only_arg"),
    .objects = "objects",
    .fault = "signals conditions",
    .remedy = "If the situation is expected, return a value for it instead. "
              "Many functions have an argument for that, such as READ-CHAR, "
              "PARSE-INTEGER and FIND-CLASS.",
    .example = "(handler-case (parse-integer s) (error () nil)) => "
               "(parse-integer s :junk-allowed t)",
    .unknown = "whether anything needs the condition; closures and conses of "
               "HANDLER-CASE come in addition",
};
