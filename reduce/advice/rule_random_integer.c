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
    .fault = "calls RANDOM of an integer, which makes bignums",
    .remedy = "In ECL each call makes two bignums. If many numbers are "
              "needed, compute them with fixnums: a 32-bit linear "
              "congruential or xorshift generator takes a few lines.",
    .example =
        "(random 6) => (mod (ash (setf seed (logand #xffffffff (+ 1013904223 "
        "(* 1664525 seed)))) -16) 6)",
    .unknown = "how good the random numbers must be",
};
