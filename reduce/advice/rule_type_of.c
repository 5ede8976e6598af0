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
    .fault = "makes lists with TYPE-OF",
    .remedy = "Test the type with TYPECASE or TYPEP, or the class with "
              "CLASS-OF. These do not cons. In ECL, TYPE-OF of an integer, "
              "an array or a string is a list.",
    .example = "(eq (type-of x) 'symbol) => (typep x 'symbol)",
};
