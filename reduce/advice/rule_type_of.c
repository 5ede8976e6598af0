/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TYPE-OF makes the list that a type such as (VECTOR T 3) or (INTEGER 5 5)
 * is. */

#include "advice/rules.h"

const struct advice_rule rule_type_of = {
    .name = "type-of",
    .grade = GRADE_CERTAIN,
    .called = NAMES("TYPE-OF"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "has TYPE-OF make lists",
    .remedy = "Ask for a type by TYPECASE or TYPEP, or for the class by "
              "CLASS-OF, which cons nothing. TYPE-OF of an integer, an array "
              "or a string is a list in ECL.",
    .example = "(eq (type-of x) 'symbol) => (typep x 'symbol)",
    .unknown = "nothing that matters here",
};
