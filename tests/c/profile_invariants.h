/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_invariants.h -- what holds of every profile that was read, whatever
 * was in the file.
 */
#ifndef MPROF_PROFILE_INVARIANTS_H
#define MPROF_PROFILE_INVARIANTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"

/* Checks that every index of PROFILE is in range and that sums agree. */
static void
check_invariants(const struct profile *profile)
{
  uint64_t allocs = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    assert_true(sample->first_frame + sample->frame_count <=
                profile->chain_count);
    assert_true(sample->type < profile->type_count);
    assert_true(sample->thread < profile->thread_count);
    allocs += sample->allocs;
    bytes += sample->bytes;
  }
  for (size_t i = 0; i < profile->chain_count; i++)
    assert_true(profile->chains[i] < profile->frame_count);
  for (size_t i = 0; i < profile->frame_count; i++)
    assert_true(profile->frames[i].function < profile->function_count);
  for (size_t i = 0; i < profile->function_count; i++)
    assert_true(profile->functions[i].name < profile->names.count);
  for (size_t i = 0; i < profile->type_count; i++)
    assert_true(profile->types[i].category < CATEGORY_COUNT);
  assert_int_equal(profile->total.allocs, allocs);
  assert_int_equal(profile->total.bytes, bytes);
  if (profile_knows(profile, FACT_BYTES))
    assert_int_equal(profile->facts[FACT_BYTES], bytes);
}

#endif
