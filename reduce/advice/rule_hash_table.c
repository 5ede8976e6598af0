/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A hash table has room for 1024 entries, where :SIZE does not say otherwise.
 */

#include "advice/rules.h"

const struct advice_rule rule_hash_table = {
    .name = "hash-table",
    .grade = GRADE_CHECK,
    .saving = SAVES_ALL_BUT_ONE,
    .called = NAMES("MAKE-HASH-TABLE", "cl__make_hash_table"),
    .counted = NAMES("HASH-TABLE"),
    .objects = "hash tables",
    .fault = "makes hash tables",
    .remedy =
        "Make one table outside the loop, and empty it with CLRHASH. For a "
        "few entries give a :SIZE: a table takes 16520 bytes without one, "
        "and 392 bytes with a :SIZE of 10. For up to ten keys a property "
        "list or ASSOC will do.",
    .example = "(make-hash-table) => (make-hash-table :size 10)",
    .unknown = "how many tables are in use at the same time, and how large "
               "they are",
};
