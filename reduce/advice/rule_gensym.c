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
    .fault = "calls GENSYM, which prints each name to a string stream",
    .remedy = "If names may be equal, use MAKE-SYMBOL. It makes a symbol and "
              "a copy of the name, but no stream.",
    .example = "(gensym) => (make-symbol \"G\")",
    .unknown = "whether anyone reads the names",
};
