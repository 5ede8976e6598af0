/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* UNION and its like make new lists. */

#include "advice/rules.h"

const struct advice_rule rule_sets = {
    .name = "sets",
    .grade = GRADE_CHECK,
    .called =
        NAMES("UNION", "INTERSECTION", "SET-DIFFERENCE", "SET-EXCLUSIVE-OR"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "makes lists with set operations",
    .remedy =
        "To test whether elements are shared or missing, use DOLIST with "
        "MEMBER, SUBSETP, or a hash table. If nothing else refers to the "
        "lists, use NUNION, NINTERSECTION and NSET-DIFFERENCE.",
    .example = "(null (intersection a b)) => (dolist (x a t) (when "
               "(member x b) (return nil)))",
    .unknown = "whether the list is kept",
};
