/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FORMAT prints to a string what is to fill a column, by a string stream of
 * its own.
 */

#include "advice/rules.h"

const struct advice_rule rule_format_column = {
    .name = "format-column",
    .grade = GRADE_CERTAIN,
    .through = NAMES("SI::FORMAT-PRINT-INTEGER", "SI::FORMAT-PRINC",
                     "SI::FORMAT-PRIN1"),
    .types = NAMES("STRING", "BASE-STRING", "STRING-STREAM"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "string streams",
    .fault = "pads columns with FORMAT, which makes a string each time",
    .remedy = "Write the padding with WRITE-CHAR, and use ~A and ~D without "
              "a width. Do the same for commas and signs.",
    .example = "(format s \"~2,'0D\" n) => (progn (when (< n 10) (write-char "
               "#\\0 s)) (princ n s))",
};
