/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A slot of a structure or an instance has an object, also a typed one. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_slot = {
    .name = "boxed-slot",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("slot"),
    .objects = "floats",
    .fault = "boxes floats of known type for slots",
    .remedy =
        "Declaring the type of the slot does not help. Keep a typed array of "
        "one element in the slot, make it once, and set its element. State "
        "the type of the array with THE at each use: ECL ignores the type of "
        "the slot. Or compute with typed variables, and set the slot once at "
        "the end.",
    .example = "(setf (p-x p) x) => (setf (aref (the (simple-array "
               "double-float (1)) (p-x p)) 0) x)",
    .unknown = "whether the code that reads the slot needs an object",
};
