/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A hash table that is full is made anew, larger. */

#include "advice/rules.h"

const struct advice_rule rule_hash_growth = {
    .name = "hash-growth",
    .grade = GRADE_CHECK,
    .called = NAMES("SI:HASH-SET", "ecl_sethash"),
    .through = NAMES("ecl_extend_hashtable"),
    .objects = "objects",
    .fault = "lets hash tables grow",
    .remedy =
        "Give MAKE-HASH-TABLE a :SIZE a third above the final number of "
        "entries: a table grows when it is three quarters full. The larger "
        "initial table reduces the saving. Or keep a table that has grown, "
        "and empty it with CLRHASH.",
    .example = "(make-hash-table) => (make-hash-table :size 100000)",
    .unknown = "how many entries there will be",
};
