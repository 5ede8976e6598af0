/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An integer that is no fixnum is an object. ECL 21.2.1 and 24.5.10
 * compute in C with fixnums alone: other integer types are boxed for each
 * operation, whatever is declared.
 */

#include "advice/rules.h"

#define INTEGER_FUNCTIONS                                                    \
  "ecl_plus", "ecl_minus", "ecl_times", "ecl_divide", "ecl_negate",          \
      "ecl_one_plus", "ecl_one_minus", "ecl_boole", "LOGAND", "LOGIOR",      \
      "LOGXOR", "LOGNOT", "ASH", "ecl_ash", "LDB", "DPB", "MASK-FIELD",      \
      "ABS", "ecl_abs", "GCD", "ecl_gcd", "LCM", "EXPT", "ecl_expt",         \
      "ISQRT", "ecl_floor1", "ecl_floor2", "ecl_ceiling1", "ecl_ceiling2",   \
      "ecl_truncate1", "ecl_truncate2", "ecl_round1", "ecl_round2", "FLOOR", \
      "CEILING", "TRUNCATE", "ROUND", "MOD", "REM"

const struct advice_rule rule_bignum = {
    .name = "bignum",
    .grade = GRADE_CHECK,
    .called = NAMES(INTEGER_FUNCTIONS, "REDUCE", "APPLY"),
    .through = NAMES(INTEGER_FUNCTIONS),
    .types = NAMES("BIGNUM"),
    .objects = "bignums",
    .fault = "computes with integers that are not fixnums",
    .remedy =
        "Keep all values fixnums, including products and shifts: (TYPEP N "
        "'FIXNUM). Test single bits of a bignum with LOGBITP. For arithmetic "
        "modulo 2^64 use FFI:C-INLINE: neither (UNSIGNED-BYTE 64) "
        "declarations nor masks by LDB or LOGAND help in ECL.",
    .example = "(ldb (byte 64 0) (* a b)) => (ffi:c-inline (a b) (:uint64-t "
               ":uint64-t) :uint64-t \"#0 * #1\" :one-liner t)",
    .unknown = "whether numbers this large are needed",
};
