/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL has a few sequence functions make lists of the sequences that they are
 * given. */

#include "advice/rules.h"

const struct advice_rule rule_argument_list = {
    .name = "argument-list",
    .grade = GRADE_CERTAIN,
    .called = NAMES("EVERY", "SOME", "NOTANY", "NOTEVERY", "MAP", "MAP-INTO",
                    "CONCATENATE"),
    .leaf = NAMES("EVERY", "SOME", "NOTANY", "NOTEVERY", "MAP", "MAP-INTO",
                  "CONCATENATE", "COPY-LIST", "ARRAY-DIMENSIONS",
                  "cl_grab_rest_args"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "conses lists in EVERY, SOME, MAP or CONCATENATE",
    .remedy = "Use LOOP, DOLIST, DOTIMES, MAPCAR or REDUCE. FIND-IF, "
              "POSITION-IF and COUNT-IF do not cons either. Instead of "
              "CONCATENATE, fill a new string with REPLACE.",
    .example = "(every #'digit-char-p text) => (loop for c across "
               "text always (digit-char-p c))",
};
