/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names that options choose by: functions, threads, regions, types,
 * samples by number, and the functions that run profiled bodies.
 */

#ifndef MPROF_SELECTION_MATCH_H
#define MPROF_SELECTION_MATCH_H

#include "analysis/selection.h"

/* Fills matches, roots, of_threads, of_regions, of_types and chosen of
 * SELECTION, for which there is room.  False: ERROR says why, such as a bad
 * regular expression, a usage error. */
bool selection_match(struct selection *selection, struct mprof_error *error);

#endif
