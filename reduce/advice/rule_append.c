/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* APPEND copies all lists but for the last one. */

#include "advice/rules.h"

const struct advice_rule rule_append = {
    .name = "append",
    .grade = GRADE_CHECK,
    .called = NAMES("APPEND", "ecl_append"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "copies lists with APPEND",
    .remedy = "To add at the end in a loop, use LOOP COLLECT, or PUSH "
              "followed by NREVERSE. Use NCONC if nothing else refers to the "
              "list.",
    .example = "(setf list (append list (list x))) => (push x list)",
    .unknown = "whether anything else refers to the list",
};
