/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A C integer of 64 bits that does not fit into a fixnum becomes a bignum
 * where it leaves typed code.
 */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_integer = {
    .name = "boxed-integer",
    .grade = GRADE_CHECK,
    .called = NAMES("ecl_make_unsigned_integer", "ecl_make_integer",
                    "ecl_make_uint64_t", "ecl_make_int64_t",
                    INTEGERS_FOR("argument"), INTEGERS_FOR("value"),
                    INTEGERS_FOR("slot"), INTEGERS_FOR("element"),
                    INTEGERS_FOR("special"), INTEGERS_FOR("variable"),
                    INTEGERS_FOR("arithmetic"), INTEGERS_FOR("temporary")),
    .types = NAMES("BIGNUM"),
    .objects = "bignums",
    .fault = "boxes 64-bit integers",
    .remedy =
        "Declare FIXNUM where the values fit. ECL boxes larger integers in "
        "all Lisp code that passes them on, whatever is declared: read them "
        "from their array, and compute with them, inside FFI:C-INLINE.",
    .example =
        "(> (aref words i) limit) => (ffi:c-inline (words i) (:object "
        ":fixnum) :bool \"#0->vector.self.b64[#1] > 99ULL\" :one-liner t)",
    .unknown = "how the integer is used: as an operand, an argument, a value "
               "or an element",
};
