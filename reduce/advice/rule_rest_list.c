/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL conses a used &REST list, also where DYNAMIC-EXTENT is declared. */

#include "advice/rules.h"

const struct advice_rule rule_rest_list = {
    .name = "rest-list",
    .grade = GRADE_CHECK,
    .called = NAMES("cl_grab_rest_args"),
    .leaf = NAMES("cl_grab_rest_args"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "conses its own &REST list for each call",
    .remedy = "Take fixed or &OPTIONAL arguments, or one list that "
              "the caller keeps. DYNAMIC-EXTENT does not help in "
              "ECL.",
    .example = "(defun f (&rest numbers) ...) => (defun f (a "
               "&optional b) ...)",
    .unknown = "how many arguments it is called with, and whether it keeps "
               "the list",
};
