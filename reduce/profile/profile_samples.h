/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The second half of the profile reader: samples, comments and the rules
 * that tie them together.  Only profile_reader.c uses this.
 */

#ifndef MPROF_PROFILE_SAMPLES_H
#define MPROF_PROFILE_SAMPLES_H

#include "profile/profile_reading.h"
#include "profile/wire_sample.h"

/* Reads comments and samples once strings and locations are known. */
bool profile_samples_read(struct reading *reading);

/* Whether all that SAMPLE says is how many calls its chain has, so that
 * reading->calls holds it. */
bool profile_sample_states_calls(const struct reading *reading,
                                 const struct wire_sample *sample);

#endif
