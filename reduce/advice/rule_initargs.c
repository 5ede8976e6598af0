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
    /* what ECL itself makes instances for */
    .without = NAMES("MAKE-CONDITION", "SI::COERCE-TO-CONDITION",
                     "SI::MAKE-PRETTY-STREAM"),
    .leaf = NAMES("cl_grab_rest_args", "LIST*"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "conses lists of initargs for instances",
    .remedy =
        "Make the instance without initargs, and set its slots with SETF of "
        "SLOT-VALUE or of accessors, which do not cons. Initforms and the "
        "constructors of structures do not cons either. Passing the class "
        "instead of its name, by LOAD-TIME-VALUE of FIND-CLASS, saves one "
        "list.",
    .example = "(make-instance 'point :x 3) => (let ((p "
               "(make-instance 'point))) (setf (slot-value p 'x) 3) p)",
    .unknown = "whether methods of INITIALIZE-INSTANCE need the initargs",
};
