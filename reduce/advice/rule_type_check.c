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
    .fault = "checks a type that TYPEP expands each time",
    .remedy =
        "Write the expanded type: (ARRAY T (*)) for (VECTOR T), where T is "
        "the element type, and the definition of a DEFTYPE for its name. In "
        "ECL 21.2.1 it is enough that DEFTYPE returns a quoted list, with #. "
        "instead of each comma. Declarations are checked unless SAFETY is 0.",
    .example = "(declare (type (vector (unsigned-byte 8)) v)) => (declare "
               "(type (array (unsigned-byte 8) (*)) v))",
    .unknown = "which type it is, and whether it is in a declaration, in "
               "CHECK-TYPE or in TYPEP",
};
