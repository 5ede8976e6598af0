/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GENSYM prints the name of the symbol to a string stream. */

#include "advice/rules.h"

const struct advice_rule rule_gensym = {
    .name = "gensym",
    .grade = GRADE_CERTAIN,
    .called = NAMES("GENSYM", "GENTEMP"),
    .types = NAMES("STRING-STREAM", "STRING", "CONS"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "names",
    .fault = "has GENSYM print names to string streams",
    .remedy = "Where names need not differ, use MAKE-SYMBOL: it "
              "makes a symbol and a copy of the name, and no "
              "stream.",
    .example = "(gensym) => (make-symbol \"G\")",
    .unknown = "whether anybody reads the names",
};
