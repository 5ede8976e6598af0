/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The phase of each sample: what the file states, else that of what the last
 * function of its chain allocates (phase.h).
 */

#ifndef MPROF_SAMPLE_PHASES_H
#define MPROF_SAMPLE_PHASES_H

#include "profile/phase.h"
#include "profile/profile.h"

/* The phase of each sample of PROFILE; LENGTHS[s] is how many frames of
 * sample s, from the leaf, count (session_root.h).  The caller frees the
 * array; NULL when memory runs out.  Linear in the frames. */
unsigned char *sample_phases(const struct profile *profile,
                             const size_t *lengths);

#endif
