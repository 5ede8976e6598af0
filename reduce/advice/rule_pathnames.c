/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pathnames are parsed and merged, and printed for the operating system. */

#include "advice/rules.h"

const struct advice_rule rule_pathnames = {
    .name = "pathnames",
    .grade = GRADE_CHECK,
    .called =
        NAMES("PATHNAME", "PARSE-NAMESTRING", "ecl_parse_namestring",
              "MERGE-PATHNAMES", "MAKE-PATHNAME", "NAMESTRING",
              "FILE-NAMESTRING", "DIRECTORY-NAMESTRING", "HOST-NAMESTRING",
              "ENOUGH-NAMESTRING", "PATHNAME-NAME", "PATHNAME-TYPE",
              "PATHNAME-DIRECTORY", "PATHNAME-DEVICE", "PATHNAME-HOST",
              "PATHNAME-VERSION", "PATHNAME-MATCH-P", "TRANSLATE-PATHNAME",
              "TRANSLATE-LOGICAL-PATHNAME", "WILD-PATHNAME-P", "PROBE-FILE",
              "TRUENAME", "FILE-WRITE-DATE", "DIRECTORY", "EXT:FILE-KIND",
              "EXT:GETCWD", "USER-HOMEDIR-PATHNAME"),
    .objects = "objects",
    .fault = "parses, merges or prints pathnames",
    .remedy =
        "Parse a name once, and pass the pathname: each function that gets a "
        "string parses it again. Merge with the directory outside the loop. "
        "PROBE-FILE and TRUENAME make many pathnames for each directory in "
        "the name: call them once.",
    .example = "(pathname-name \"/tmp/a.lisp\") => (pathname-name "
               "#p\"/tmp/a.lisp\")",
    .unknown = "whether the names are the same each time",
};
