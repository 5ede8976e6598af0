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
        "The type of a slot does not help. Have a typed array of one element "
        "in the slot, made once, and set its element; say its type with THE "
        "where it is used, for ECL does not look at the type of the slot. Or "
        "compute with typed variables, and set the slot once at the end.",
    .example = "(setf (p-x p) x) => (setf (aref (the (simple-array "
               "double-float (1)) (p-x p)) 0) x)",
    .unknown = "whether what reads the slot needs an object",
};
