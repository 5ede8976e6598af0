/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that a file itself wants to be left out.
 *
 * A profile of another program may carry two regular expressions,
 * drop_frames and keep_frames: what lies below a function that the first
 * matches and the second does not, and that function itself, are parts of the
 * allocator.  They are cut off as pprof does it: the chain is gone through
 * from the root, and frames are cut only below a first frame that stays, so
 * that no chain becomes empty.
 *
 * pprof's expressions are RE2's; what both have in common is matched.  Where
 * an expression may be something else, it is not used, and the profile says
 * so: repetition counts, references back and deep nesting would also let a
 * small file take long.
 */

#ifndef MPROF_PROFILE_PRUNE_H
#define MPROF_PROFILE_PRUNE_H

#include "io/mprof_error.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct profile_prune { /* all zero: nothing to cut */
  bool active;
  bool has_keep;
  regex_t drop, keep;
};

/* What of a location is to be cut. */
enum prune_mark {
  PRUNE_NOTHING,
  PRUNE_ALL,    /* the location and what is below it */
  PRUNE_BENEATH /* what is below; some of its own frames stay */
};

enum prune_outcome { PRUNE_READY, PRUNE_NOT_READABLE, PRUNE_NO_MEMORY };

/* Prepares to match DROP and KEEP, "" when the file has none. */
enum prune_outcome profile_prune_init(struct profile_prune *prune,
                                      const char *drop, const char *keep);
void profile_prune_release(struct profile_prune *prune);

/* Whether the function NAME is to be cut. */
bool profile_prune_matches(const struct profile_prune *prune,
                           const char *name);

#endif
