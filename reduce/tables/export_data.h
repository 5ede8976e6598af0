/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The formats of mprof export that are made of the descriptions of tables:
 * all of them, but CSV one.
 */

#ifndef MPROF_EXPORT_DATA_H
#define MPROF_EXPORT_DATA_H

#include "base/sink.h"
#include "analysis/reduction.h"

void export_csv(const struct reduction *reduction, struct sink *sink);
void export_json(const struct reduction *reduction, struct sink *sink);
void export_lisp(const struct reduction *reduction, struct sink *sink);

#endif
