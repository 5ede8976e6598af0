/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A string of characters takes 4 bytes for each. */

#include "advice/rules.h"

const struct advice_rule rule_wide_string = {
    .name = "wide-string",
    .grade = GRADE_CHECK,
    .saving = SAVES_WIDTH,
    .called = NAMES("MAKE-STRING", "SI:MAKE-VECTOR", "SI:MAKE-PURE-ARRAY",
                    "MAKE-ARRAY", "MAKE-SEQUENCE"),
    .types = NAMES("STRING"),
    .objects = "strings",
    .fault = "makes strings of 4 bytes a character",
    .remedy = "If all characters are BASE-CHARs (in ECL, codes 0 to 255), "
              "give the :ELEMENT-TYPE 'BASE-CHAR: a character then takes one "
              "byte. Copies and parts of such a string have that type too.",
    .example = "(make-string n) => (make-string n :element-type "
               "'base-char)",
    .unknown = "which characters the string will have",
};
