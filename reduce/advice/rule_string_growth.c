/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is written to a string goes into a buffer that is copied to a larger
 * one when it is full. */

#include "advice/rules.h"

const struct advice_rule rule_string_growth = {
    .name = "string-growth",
    .grade = GRADE_CHECK,
    .through = NAMES("ecl_string_push_extend"),
    .types = NAMES("STRING", "BASE-STRING"),
    .objects = "buffers",
    .fault = "lets the buffer of a string stream grow",
    .remedy =
        "Keep one stream: GET-OUTPUT-STREAM-STRING empties its buffer, which "
        "keeps its size. Or write to a string with a fill pointer that is "
        "large enough from the start. If all characters are BASE-CHARs, a "
        "stream of BASE-CHARs needs a quarter of the memory.",
    .example = "(with-output-to-string (s) ...) => (let ((text "
               "(make-array 100000 :element-type 'character "
               ":fill-pointer 0))) (with-output-to-string (s text) "
               "...) text)",
    .unknown = "how long the text will be",
};
