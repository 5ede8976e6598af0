/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MAKE-INSTANCE at run time conses the list of its initargs once for each
 * generic function that gets it.
 */

#include "advice/rules.h"

const struct advice_rule rule_initargs = {
    .name = "initargs",
    .grade = GRADE_CERTAIN,
    .through = NAMES("(METHOD MAKE-INSTANCE (SYMBOL))",
                     "(METHOD MAKE-INSTANCE (CLASS))",
                     "(METHOD INITIALIZE-INSTANCE (T))",
                     "(METHOD SHARED-INITIALIZE (T T))"),
    .leaf = NAMES("cl_grab_rest_args", "LIST*"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "has lists of initargs consed for instances",
    .remedy = "Where many are made, use DEFSTRUCT, whose "
              "constructor conses no list, or give fewer initargs "
              "and initforms in their place.",
    .example = "(defclass point () ((x :initarg :x))) => (defstruct"
               " point x)",
    .unknown = "whether anything depends on the class",
};
