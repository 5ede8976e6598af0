/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* New symbols. */

#include "advice/rules.h"

const struct advice_rule rule_symbols = {
    .name = "symbols",
    .grade = GRADE_CHECK,
    .called = NAMES("INTERN", "ecl_intern", "MAKE-SYMBOL", "COPY-SYMBOL",
                    "MAKE-KEYWORD"),
    .types = NAMES("SYMBOL", "BASE-STRING", "STRING"),
    .counted = NAMES("SYMBOL"),
    .objects = "symbols",
    .fault = "makes symbols",
    .remedy = "Interned symbols are not freed while their package exists. "
              "For keys that come from data, use strings and a hash table "
              "with the test EQUAL.",
    .example = "(setf (get (intern name) :count) 1) => (setf "
               "(gethash name counts) 1)",
    .unknown = "how many different names there will be",
};
