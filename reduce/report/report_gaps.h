/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a profile does not say, and how tables leave it blank. */

#ifndef MPROF_REPORT_GAPS_H
#define MPROF_REPORT_GAPS_H

#include "io/sink.h"
#include "reduction.h"
#include "report/text_table.h"

/* Lines on what the files do not say; nothing for those of mprof. */
void report_gaps(const struct profile *profile, struct sink *sink);

/* Whether the profile counts objects, and frees. */
bool report_knows_allocs(const struct reduction *reduction);
bool report_knows_frees(const struct reduction *reduction);

/* The next cell: NUMBER, or nothing when it is not KNOWN. */
void report_number(struct text_table *table, bool known, uint64_t number);

#endif
