/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A C integer of 64 bits that does not fit into a fixnum becomes a bignum
 * where it leaves typed code.
 */

#include "advice/rules.h"

const struct advice_rule rule_boxed_integer = {
    .name = "boxed-integer",
    .grade = GRADE_CHECK,
    .called = NAMES("ecl_make_unsigned_integer", "ecl_make_integer",
                    "ecl_make_uint64_t", "ecl_make_int64_t"),
    .types = NAMES("BIGNUM"),
    .objects = "bignums",
    .fault = "boxes integers of 64 bits",
    .remedy = "Declare FIXNUM where the values fit. For others do all that "
              "takes and gives them by FFI:C-INLINE: in ECL arithmetic, "
              "calls, and general arrays box them, and declarations do not "
              "help.",
    .example = "(logxor a b) => (ffi:c-inline (a b) (:uint64-t :uint64-t) "
               ":uint64-t \"#0 ^ #1\" :one-liner t)",
    .unknown = "where the integer goes: an operand, an argument, a value or "
               "an element",
};
