/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* These functions take any number of sequences, and keep lists of them. */

#include "advice/rules.h"

const struct advice_rule rule_map_lists = {
    .name = "map-lists",
    .grade = GRADE_CERTAIN,
    .called = NAMES("EVERY", "SOME", "NOTANY", "NOTEVERY", "MAP"),
    .leaf = NAMES("EVERY", "SOME", "NOTANY", "NOTEVERY", "MAP", "COPY-LIST",
                  "cl_grab_rest_args"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "has EVERY, SOME or MAP cons lists of its arguments",
    .remedy = "Write a loop: LOOP with ALWAYS, THEREIS or NEVER, DOLIST, "
              "DOTIMES. In ECL these functions cons lists of the sequences "
              "and of the elements for each call.",
    .example = "(every #'evenp list) => (loop for n in list always (evenp "
               "n))",
    .unknown = "nothing that matters here",
};
