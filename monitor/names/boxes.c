/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "names/boxes.h"

#include <ecl/ecl.h>

#include "names/code_functions.h"

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

uint64_t
boxes_site(uint32_t what)
{
  const uint32_t type = what & 0xFF, reason = ECL_REASON(what);
  if (type >= t_end || reason >= ECL_REASONS || makers[type][reason] == NULL)
    return 0;
  /* as a return address is behind the call */
  return (uint64_t)(uintptr_t)makers[type][reason] + 1;
}

void
boxes_meet(void)
{
  for (uint32_t type = 0; type < t_end; type++)
    for (uint32_t reason = 1; reason < ECL_REASONS; reason++)
      code_function_of_site(boxes_site(type | ECL_ALLOCATED_FOR(reason)));
}
