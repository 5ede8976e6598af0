/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RANDOM of an integer divides a bignum of random bits, and makes another
 * one for it.
 */

#include "advice/rules.h"

const struct advice_rule rule_random_integer = {
    .name = "random-integer",
    .grade = GRADE_CERTAIN,
    .called = NAMES("RANDOM"),
    .types = NAMES("BIGNUM"),
    .objects = "bignums",
    .fault = "has RANDOM of an integer make bignums",
    .remedy = "In ECL each call makes two bignums. Where many numbers are "
              "needed, compute them by fixnums: a linear congruential or "
              "an XORSHIFT generator of 32 bits is a few lines.",
    .example =
        "(random 6) => (mod (ash (setf seed (logand #xffffffff (+ 1013904223 "
        "(* 1664525 seed)))) -16) 6)",
    .unknown = "how good the random numbers must be",
};
