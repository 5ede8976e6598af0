/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a profile does not say, and how tables leave it blank. */

#ifndef MPROF_REPORT_GAPS_H
#define MPROF_REPORT_GAPS_H

#include "base/sink.h"
#include "analysis/reduction.h"
#include "tables/text_table.h"

/* Lines on what the files do not say; nothing for those of mprof. */
void report_gaps(const struct profile *profile, struct sink *sink);

/* Whether the profile counts objects. */
bool report_knows_allocs(const struct reduction *reduction);

/* Whether some function that shows has calls that are not known. */
bool report_lacks_calls(const struct reduction *reduction);

/* Writes the line of a legend on calls that are not known. */
void report_explain_unknown_calls(const struct reduction *reduction,
                                  struct sink *sink);

/* The next cell: CALLS, or nothing when they are not known. */
void report_calls(struct text_table *table, uint64_t calls);

#endif
