/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REINITIALIZE-INSTANCE checks its initargs, and finds methods for that,
 * each time.
 */

#include "advice/rules.h"

const struct advice_rule rule_reinitialize = {
    .name = "reinitialize",
    .grade = GRADE_CERTAIN,
    .through = NAMES("(METHOD REINITIALIZE-INSTANCE (T))"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "calls REINITIALIZE-INSTANCE, which checks the initargs",
    .remedy = "Set the slots with SETF of SLOT-VALUE or of accessors.",
    .example = "(reinitialize-instance p :x 3) => (setf (slot-value p 'x) 3)",
    .unknown = "whether methods of REINITIALIZE-INSTANCE or "
               "SHARED-INITIALIZE do more",
};
