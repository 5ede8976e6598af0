/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL checks declarations at run time unless SAFETY is 0.  Types that it has
 * no code for are checked by TYPEP, which expands those of DEFTYPE each time;
 * VECTOR with an element type is defined by such a one.
 */

#include "advice/rules.h"

const struct advice_rule rule_type_check = {
    .name = "type-check",
    .grade = GRADE_CERTAIN,
    .called = NAMES("TYPEP"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "has TYPEP expand a type at each check",
    .remedy =
        "Write the type that it expands to: (ARRAY T (*)) for (VECTOR T), "
        "where T is the element type, and what a DEFTYPE stands for. In ECL "
        "21.2.1 it is enough that DEFTYPE gives back a quoted list, with #. "
        "where a comma was. Declarations are checked unless SAFETY is 0.",
    .example = "(declare (type (vector (unsigned-byte 8)) v)) => (declare "
               "(type (array (unsigned-byte 8) (*)) v))",
    .unknown = "which type it is, and whether it is declared, in "
               "CHECK-TYPE or in TYPEP",
};
