/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a report, and what they have in common. */

#ifndef MPROF_REPORT_H
#define MPROF_REPORT_H

#include "base/sink.h"
#include "reduction.h"
#include "report/report_gaps.h"
#include "report/report_text.h"
#include "report/text_table.h"

/* Writes a whole report: what was not attributed, a line on the profile, and
 * the tables that the options ask for. */
void report_write(const struct reduction *reduction, struct sink *sink);

/* Says what is counted, when that is not what was allocated. */
void report_counted(const struct reduction *reduction, struct sink *sink);

void report_bins(const struct reduction *reduction, struct sink *sink);
/* What stands in the place of a size; "" for BIN_SIZE. */
const char *report_bin_kind(enum bin_kind kind);
void report_leaks(const struct reduction *reduction, struct sink *sink);
void report_regions(const struct reduction *reduction, struct sink *sink);
void report_peak(const struct reduction *reduction, struct sink *sink);
void report_temporary(const struct reduction *reduction, struct sink *sink);
void report_direct(const struct reduction *reduction, struct sink *sink);
void report_graph(const struct reduction *reduction, struct sink *sink);
void report_types(const struct reduction *reduction, struct sink *sink);
void report_functions_of_types(const struct reduction *reduction,
                               struct sink *sink);
void report_types_of_functions(const struct reduction *reduction,
                               struct sink *sink);
void report_phases(const struct reduction *reduction, struct sink *sink);
void report_threads(const struct reduction *reduction, struct sink *sink);
/* Whether the table tells anything: whether more than one phase, or thread,
 * allocated. */
bool report_has_phases(const struct reduction *reduction);
bool report_has_threads(const struct reduction *reduction);
bool report_has_regions(const struct reduction *reduction);
void report_reconciliation(const struct reduction *reduction,
                           struct sink *sink);

/* The first lines of a report: what could not be attributed, if anything. */
void report_unattributed(const struct reduction *reduction,
                         struct sink *sink);

#endif
