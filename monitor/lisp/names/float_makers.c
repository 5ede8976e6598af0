/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/names/float_makers.h"

#include <ecl/ecl.h>

#include "image/image.h"
#include "lisp/names/code_functions.h"

typedef void maker(void);

#define SINGLE(reason)                                                       \
  [ECL_FOR(reason)] = (maker *)ecl_single_float_for_##reason,
#define DOUBLE(reason)                                                       \
  [ECL_FOR(reason)] = (maker *)ecl_double_float_for_##reason,
#define LONG(reason)                                                         \
  [ECL_FOR(reason)] = (maker *)ecl_long_float_for_##reason,
#define CSINGLE(reason)                                                      \
  [ECL_FOR(reason)] = (maker *)ecl_csfloat_for_##reason,
#define CDOUBLE(reason)                                                      \
  [ECL_FOR(reason)] = (maker *)ecl_cdfloat_for_##reason,
#define CLONG(reason)                                                        \
  [ECL_FOR(reason)] = (maker *)ecl_clfloat_for_##reason,

static maker *const makers[t_end][ECL_REASONS] = {
    [t_singlefloat] = {ECL_EACH_REASON(SINGLE)},
    [t_doublefloat] = {ECL_EACH_REASON(DOUBLE)},
    [t_longfloat] = {ECL_EACH_REASON(LONG)},
#ifdef ECL_COMPLEX_FLOAT
    [t_csfloat] = {ECL_EACH_REASON(CSINGLE)},
    [t_cdfloat] = {ECL_EACH_REASON(CDOUBLE)},
    [t_clfloat] = {ECL_EACH_REASON(CLONG)},
#endif
};

void
float_makers_note(void)
{
  for (uint32_t type = 0; type < t_end; type++)
    for (uint32_t reason = 1; reason < ECL_REASONS; reason++) {
      const uint32_t number =
          code_function_of_start((uintptr_t)makers[type][reason]);
      code_function_meet(number);
      if (number != 0)
        image_note(NOTE_ALLOCATOR, type | ECL_ALLOCATED_FOR(reason), number,
                   0, NULL);
    }
}
