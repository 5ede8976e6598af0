/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The slices of time of a profile with a timeline (images/timeline.h).
 */

#pragma once

#include "base/array.h"
#include "images/timeline.h"
#include "profile/profile.h"

struct time_slices {             /* all zero: none */
  struct numbers starts;         /* nanoseconds, ascending, each once */
  struct timeline_state *states; /* at the end of each, over processes */
  uint32_t *of_labels; /* by labels of the profile, the number of the slice,
                          from 1 on; 0: none.  NULL: there are none */
};

/* Fills SLICES, which must be all zero, with those of PROFILE.  Their memory
 * is of the pool in use. */
void time_slices_find(struct time_slices *slices,
                      const struct profile *profile);
