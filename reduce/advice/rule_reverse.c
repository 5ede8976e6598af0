/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REVERSE makes a copy. */

#include "advice/rules.h"

const struct advice_rule rule_reverse = {
    .name = "reverse",
    .grade = GRADE_CHECK,
    .called = NAMES("REVERSE"),
    .objects = "objects",
    .fault = "copies sequences with REVERSE",
    .remedy = "Use NREVERSE on a list that was just built with PUSH: it does "
              "not cons. To walk a vector backwards, use LOOP with DOWNFROM.",
    .example = "(reverse result) => (nreverse result)",
    .unknown = "whether anything else refers to the sequence",
};
