/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The granularity of a reduction: instead of functions, their lines, files,
 * packages or classes.
 *
 * This stage stands between the selection, which speaks of functions, and all
 * that count them.  It changes the frames so that each group is a function.
 *
 *   a;b;c;d  with a, b, d of group G, c of group H   becomes   G;H;G
 *
 * A step from a group into itself is no call: of the frames in a row that are
 * of one group, the rootmost stands for all, and calls of the others are
 * counted nowhere.  Frames that are hidden neither join a group nor stand
 * between two frames of one.
 */

#ifndef MPROF_GROUPING_H
#define MPROF_GROUPING_H

#include "analysis/group_names.h"
#include "analysis/selection.h"
#include "base/mprof_error.h"

/* Groups the functions of FRAMES, from which SELECTION was made, and lets
 * that know no calls where they make no sense; nothing is left to do for
 * BY_FUNCTION.  Linear in frames and functions.  False when memory runs
 * out. */
bool grouping_apply(struct frame_table *frames, struct selection *selection,
                    enum granularity by, struct mprof_error *error);

/* What a row of a table is called then, one or many: "package". */
const char *granularity_noun(enum granularity by, bool many);

#endif
