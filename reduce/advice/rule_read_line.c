/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* READ-LINE makes a string for each line. */

#include "advice/rules.h"

const struct advice_rule rule_read_line = {
    .name = "read-line",
    .grade = GRADE_CHECK,
    .called = NAMES("READ-LINE"),
    .types = NAMES("STRING", "BASE-STRING", "CONS"),
    .counted = NAMES("STRING", "BASE-STRING"),
    .objects = "lines",
    .fault = "makes a string for each line",
    .remedy = "Fill one string repeatedly with READ-SEQUENCE and search it "
              "for #\\Newline, or use READ-CHAR, which does not cons. A line "
              "is a string of 4 bytes a character.",
    .example = "(loop for line = (read-line s nil) while line count "
               "t) => (loop for c = (read-char s nil) while c count "
               "(char= c #\\Newline))",
    .unknown = "whether the lines are kept",
};
