/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables that mprof export --format=csv can write, one at a time. */

#ifndef MPROF_EXPORT_CSV_H
#define MPROF_EXPORT_CSV_H

#include "base/sink.h"
#include "reduction.h"

void csv_functions(const struct reduction *reduction, struct sink *sink);
void csv_arcs(const struct reduction *reduction, struct sink *sink);
void csv_types(const struct reduction *reduction, struct sink *sink);
void csv_contexts(const struct reduction *reduction, struct sink *sink);
void csv_bins(const struct reduction *reduction, struct sink *sink);
void csv_regions(const struct reduction *reduction, struct sink *sink);
void csv_phases(const struct reduction *reduction, struct sink *sink);
void csv_threads(const struct reduction *reduction, struct sink *sink);

#endif
