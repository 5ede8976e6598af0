/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of the selection: what names the options choose, and which calls
 * outside of profiled bodies count.
 */

#ifndef MPROF_SELECTION_MATCH_H
#define MPROF_SELECTION_MATCH_H

#include "analysis/selection.h"

/* Fills what SELECTION chooses by names, the roots of its functions, and what
 * is kept of samples by their numbers.  False: ERROR says why, such as a bad
 * regular expression, a usage error. */
bool selection_match(struct selection *selection, struct mprof_error *error);

/* Lets calls outside of profiled bodies count no more that are on the way to
 * one.  False when memory runs out. */
bool calls_outside_drop(struct selection *selection);

#endif
