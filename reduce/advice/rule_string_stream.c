/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A string output stream has a buffer of its own. */

#include "advice/rules.h"

const struct advice_rule rule_string_stream = {
    .name = "string-stream",
    .grade = GRADE_CERTAIN,
    .saving = SAVES_ALL_BUT_ONE,
    .called =
        NAMES("MAKE-STRING-OUTPUT-STREAM", "ecl_make_string_output_stream"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "string streams",
    .fault = "makes string streams, each with a buffer",
    .remedy = "Make one stream outside the loop: GET-OUTPUT-STREAM-STRING "
              "empties it.",
    .example = "(with-output-to-string (s) ...) => (progn ... (get-"
               "output-stream-string s))",
    .unknown = "whether two of the streams are in use at the same "
               "time",
};
