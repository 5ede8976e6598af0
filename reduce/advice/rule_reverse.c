/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REVERSE makes a copy. */

#include "advice/rules.h"

const struct advice_rule rule_reverse = {
    .name = "reverse",
    .grade = GRADE_CHECK,
    .called = NAMES("REVERSE"),
    .objects = "objects",
    .fault = "copies sequences by REVERSE",
    .remedy = "Use NREVERSE for what was made by PUSH a moment ago: "
              "it conses nothing. To walk a vector backwards, use "
              "LOOP with DOWNFROM.",
    .example = "(reverse result) => (nreverse result)",
    .unknown = "whether anything else has the sequence",
};
