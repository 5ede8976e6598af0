/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies of lists, trees and vectors. */

#include "advice/rules.h"

const struct advice_rule rule_copy = {
    .name = "copy",
    .grade = GRADE_CHECK,
    .called = NAMES("COPY-LIST", "COPY-TREE", "COPY-ALIST", "COPY-SEQ",
                    "ecl_copy_seq"),
    .objects = "objects",
    .fault = "copies sequences or trees",
    .remedy = "Copy only what is going to be changed, and once: a "
              "function that changes its argument may leave the "
              "copy to those callers that need it. To copy a vector "
              "again and again, keep one and use REPLACE.",
    .example = "(dolist (x (copy-list list)) (print x)) => (dolist "
               "(x list) (print x))",
    .unknown = "whether the copy, or the original, is changed",
};
