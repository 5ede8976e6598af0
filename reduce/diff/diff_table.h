/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One table of a comparison: a row for each function, type or chain that
 * changed much, with what the others add up to below.
 */

#ifndef MPROF_DIFF_TABLE_H
#define MPROF_DIFF_TABLE_H

#include "diff/diff.h"

void diff_table_write(const struct diff *diff, enum diff_kind kind,
                      struct sink *sink);

#endif
