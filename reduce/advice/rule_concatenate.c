/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each CONCATENATE makes a sequence of all that it is given. */

#include "advice/rules.h"

const struct advice_rule rule_concatenate = {
    .name = "concatenate",
    .grade = GRADE_CHECK,
    .called = NAMES("CONCATENATE"),
    .through = NAMES("MAKE-SEQUENCE", "SI:MAKE-VECTOR"),
    .objects = "objects",
    .fault = "makes sequences with CONCATENATE",
    .remedy = "To add at the end in a loop, write to a string stream, or use "
              "VECTOR-PUSH-EXTEND or LOOP COLLECT. To print, write the parts "
              "one after the other.",
    .example = "(setf text (concatenate 'string text line)) => "
               "(write-string line text-stream)",
    .unknown = "whether the sequence is kept",
};
