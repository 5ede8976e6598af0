/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A random state has a vector of the generator's state. */

#include "advice/rules.h"

const struct advice_rule rule_random_state = {
    .name = "random-state",
    .grade = GRADE_CHECK,
    .saving = SAVES_ALL_BUT_ONE,
    .called = NAMES("MAKE-RANDOM-STATE"),
    .counted = NAMES("RANDOM-STATE"),
    .objects = "random states",
    .fault = "makes random states",
    .remedy = "Make one random state, outside the loop or the function, and "
              "pass it to RANDOM.",
    .example = "(random n (make-random-state t)) => (random n *state*)",
    .unknown = "whether the same numbers are needed again",
};
