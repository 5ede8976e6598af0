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
        "Have DEFTYPE give back a quoted list: a backquote with a comma "
        "makes the list anew each time, #. does not. Write (ARRAY T (*)) or "
        "(SIMPLE-ARRAY T (*)), not (VECTOR T), where T is the element type. "
        "Declarations are checked unless SAFETY is 0.",
    .example = "(deftype buffer () `(simple-array octet (,+size+))) => "
               "(deftype buffer () '(simple-array octet (#.+size+)))",
    .unknown = "which type it is, and whether it is declared, in "
               "CHECK-TYPE or in TYPEP",
};
