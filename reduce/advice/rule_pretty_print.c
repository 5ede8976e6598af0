/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* *PRINT-PRETTY* is true in ECL unless it is bound: a list or an
 * array is printed by closures, and by a stream of its own with buffers.
 */

#include "advice/rules.h"

const struct advice_rule rule_pretty_print = {
    .name = "pretty-print",
    .grade = GRADE_CERTAIN,
    .called =
        NAMES("FORMAT", "PRINC", "PRIN1", "PRINT", "WRITE", "PRINC-TO-STRING",
              "PRIN1-TO-STRING", "WRITE-TO-STRING", "ecl_princ", "ecl_prin1"),
    .through = NAMES(
        "PPRINT-FILL", "SI::PPRINT-MULTI-DIM-ARRAY", "SI::PPRINT-VECTOR",
        "SI::PPRINT-BLOCK", "SI::PPRINT-CASE", "SI::PPRINT-DEFUN",
        "SI::PPRINT-DESTRUCTURING-BIND", "SI::PPRINT-DO", "SI::PPRINT-DOLIST",
        "SI::PPRINT-FLET", "SI::PPRINT-FUNCTION-CALL", "SI::PPRINT-LAMBDA",
        "SI::PPRINT-LET", "SI::PPRINT-PROG", "SI::PPRINT-PROGN",
        "SI::PPRINT-PROGV", "SI::PPRINT-QUOTE", "SI::PPRINT-SETQ",
        "SI::PPRINT-TAGBODY", "SI::PPRINT-TYPECASE"),
    /* where the program asks for it; what plain printing takes, too */
    .without = NAMES("SI::FORMAT-LOGICAL-BLOCK", "ecl_string_push_extend",
                     "si_put_buffer_string"),
    .objects = "objects",
    .fault = "prints lists or arrays with the pretty printer",
    .remedy = "Bind *PRINT-PRETTY* to NIL around output that a program "
              "reads. It is true in ECL by default.",
    .example =
        "(prin1 list s) => (let ((*print-pretty* nil)) (prin1 list s))",
    .unknown = "whether anyone needs the line breaks and the indentation",
};
