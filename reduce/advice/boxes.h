/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What compiled code calls for the object of a number of C: the name of the
 * function tells what the object is for (runtime-patch/, 0013-why-boxed).
 */

#ifndef MPROF_BOXES_H
#define MPROF_BOXES_H

#include "advice/rule.h"

#define FLOATS_FOR(reason)                                                   \
  NAMES("ecl_single_float_for_" reason, "ecl_double_float_for_" reason,      \
        "ecl_long_float_for_" reason, "ecl_csfloat_for_" reason,             \
        "ecl_cdfloat_for_" reason, "ecl_clfloat_for_" reason)

#define INTEGERS_FOR(reason)                                                 \
  "ecl_integer_for_" reason, "ecl_unsigned_integer_for_" reason

#endif
