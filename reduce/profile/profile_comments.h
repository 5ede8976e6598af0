/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a file says of itself in its comments: which language, how many files
 * were merged into it, and the facts, numbers to be compared with the
 * samples.  Only the profile reader uses this.
 *
 * A file that was merged has the comments of all the files that went into
 * it, and mprof.files=N: a fact may stand there N times, and is their sum.
 * Of mprof.calls_unknown=NAME the profile keeps one for each name.
 */

#ifndef MPROF_PROFILE_COMMENTS_H
#define MPROF_PROFILE_COMMENTS_H

#include "profile/profile.h"

struct reading;

/* What one file says, before it is added to the profile. */
struct profile_claims {
  enum language language;
  bool by_mprof;
  uint64_t files;              /* merged into it; 1 when it does not say */
  bool adds_calls;             /* calls are sums but for ... */
  int64_t stated_calls;        /* ... so many chains */
  uint64_t stated[FACT_COUNT]; /* how often */
  int64_t facts[FACT_COUNT];
};

/* Reads the comments of READING's message into its claims and adds them to
 * the profile. */
bool profile_comments_read(struct reading *reading);

/* Compares the claims with the sums over the file's samples, ALLOCS and
 * BYTES, and adds the facts to the profile. */
bool profile_claims_check(struct reading *reading, uint64_t allocs,
                          uint64_t bytes);

#endif
