/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many contexts there are: distinct chains of functions that show, at
 * whose end something was allocated that the selection keeps.  Types, sizes,
 * threads and phases do not tell contexts apart.  A report, the page and a
 * comparison all say this number.
 */

#ifndef MPROF_CONTEXT_COUNT_H
#define MPROF_CONTEXT_COUNT_H

#include "graph/selection.h"

/* False when memory runs out.  Linear in the frames. */
bool context_count(const struct selection *selection, uint64_t *count);

#endif
