/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file stream has a buffer, and its name is parsed and printed. */

#include "advice/rules.h"

const struct advice_rule rule_open_file = {
    .name = "open-file",
    .grade = GRADE_CHECK,
    .called = NAMES("OPEN"),
    .counted = NAMES("FILE-STREAM"),
    .objects = "allocations for streams",
    .fault = "opens files",
    .remedy =
        "If the program writes to a file repeatedly, keep the file open, and "
        "call FINISH-OUTPUT when the data must be there. The buffer takes "
        "8192 bytes. With :CSTREAM NIL there is no buffer, but each "
        "character is a system call.",
    .example = "(dolist (x list) (with-open-file (s file :if-exists "
               ":append ...) (print x s))) => (with-open-file (s "
               "file ...) (dolist (x list) (print x s)))",
    .unknown = "whether it is the same file each time",
};
