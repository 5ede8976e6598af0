/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* EVERY and its like make lists of iterators and of arguments, whatever the
 * sequences are.
 */

#include "advice/rules.h"

const struct advice_rule rule_every = {
    .name = "every",
    .grade = GRADE_CERTAIN,
    .called = NAMES("EVERY", "SOME", "NOTANY", "NOTEVERY"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "has EVERY, SOME, NOTANY or NOTEVERY cons at each call",
    .remedy = "Use LOOP or DOLIST; FIND-IF, POSITION-IF and COUNT-IF cons "
              "nothing, either.",
    .example =
        "(every #'evenp list) => (loop for x in list always (evenp x))",
    .unknown = "nothing that matters here",
};
