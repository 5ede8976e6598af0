/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that a file itself wants to be left out.
 *
 * A profile of another program may carry two regular expressions,
 * drop_frames and keep_frames: what lies below a function that the first
 * matches and the second does not, and that function itself, are parts of
 * the allocator.  They do not show, as in pprof: the chain is gone through
 * from the root, and frames are left out only below a first one that stays,
 * so that no chain becomes empty.  Nothing is lost by it: who writes the file
 * anew writes all frames.
 *
 * pprof's expressions are RE2's; what both have in common is matched.  Where
 * an expression may be something else, it is not used, and the profile says
 * so: repetition counts, references back and deep nesting would also let a
 * small file take long.
 */

#ifndef MPROF_PRUNE_H
#define MPROF_PRUNE_H

#include "base/mprof_error.h"
#include "pprof/profile.h"

/* Marks the locations of PROFILE that the expressions DROP and KEEP, name
 * ids, want to be left out.  False when memory runs out. */
bool profile_prune(struct profile *profile, uint32_t drop, uint32_t keep,
                   struct mprof_error *error);

/* Finds where the chains of PROFILE end without what is marked.  False when
 * memory runs out. */
bool profile_find_ends(struct profile *profile);

#endif
