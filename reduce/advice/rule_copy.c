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
    .remedy =
        "Copy only what will be modified, and only once. A function that "
        "modifies its argument can leave the copying to the callers that "
        "need a copy. If a vector is copied repeatedly, keep one copy and "
        "refill it with REPLACE.",
    .example = "(dolist (x (copy-list list)) (print x)) => (dolist "
               "(x list) (print x))",
    .unknown = "whether the copy or the original is modified",
};
