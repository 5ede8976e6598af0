/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where chains begin.  A profile may name the function that runs a profiled
 * body (comment mprof.root).  That function and all that is rootward of it,
 * the read-eval-print loop and the profiler, is the same for every chain and
 * tells nothing, so it is cut off:
 *
 *   chain, root first:  TOP-LEVEL  EVAL  ROOT  F  EVAL  ROOT  G
 *                       [ cut off          ]  [ stays          ]
 *
 * The rootmost occurrence counts, so that profiling within a profiled body,
 * and recursion into it, stay visible.  A chain without the function, such as
 * that of another thread, stays whole.
 */

#ifndef MPROF_SESSION_ROOT_H
#define MPROF_SESSION_ROOT_H

#include "profile/profile.h"

/* Sets LENGTHS[s], for each sample s of PROFILE, to the number of frames,
 * counted from the leaf, that stay: all of them with WHOLE.  Allocations with
 * a length of zero were made by what is cut off; activations with a length of
 * zero count for nothing: also those on the way to the function, whose own
 * chains do not hold it, unless something was allocated there outside of
 * profiled bodies. Linear in the frames.  False when memory runs out. */
bool session_root_cut(const struct profile *profile, bool whole,
                      size_t *lengths);

#endif
