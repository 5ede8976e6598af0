/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of outputs.
 *
 * An output turns a reduction into text; it changes nothing and reports
 * failure only through the sink.  A new output is one file and one row in
 * outputs.c.
 */

#ifndef MPROF_OUTPUT_H
#define MPROF_OUTPUT_H

#include "io/sink.h"
#include "reduction.h"

struct output {
  const char *name; /* as --tables or --format take it */
  const char *help; /* a few words, for --help */
  void (*emit)(const struct reduction *reduction, struct sink *sink);
};

/* The tables of a report, in the order of printing, and the formats of
 * mprof export.  Each ends with a row whose name is NULL. */
extern const struct output report_tables[];
extern const struct output export_formats[];

/* The row of OUTPUTS called by the first LENGTH bytes of NAME, or NULL. */
const struct output *output_find(const struct output *outputs,
                                 const char *name, size_t length);

#endif
