/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a report, and what they have in common. */

#ifndef MPROF_REPORT_H
#define MPROF_REPORT_H

#include "base/sink.h"
#include "analysis/reduction.h"
#include "tables/report_gaps.h"
#include "tables/report_text.h"
#include "tables/text_table.h"

/* Writes a whole report: what was not attributed, a line on the profile, and
 * the tables that the options ask for. */
void report_write(const struct reduction *reduction, struct sink *sink);

/* Says what is counted, when that is not what was allocated. */
void report_counted(const struct reduction *reduction, struct sink *sink);

/* The tables that are no descriptions. */
void report_graph(const struct reduction *reduction, struct sink *sink);
void report_reconciliation(const struct reduction *reduction,
                           struct sink *sink);

/* The first lines of a report: what could not be attributed, if anything. */
void report_unattributed(const struct reduction *reduction,
                         struct sink *sink);

#endif
