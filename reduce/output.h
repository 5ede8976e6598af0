/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of outputs.
 *
 * An output turns a reduction into text (or bytes); it changes nothing and
 * reports failure only through the sink.  A new output is one file and one
 * row in outputs.c.
 */

#ifndef MPROF_OUTPUT_H
#define MPROF_OUTPUT_H

#include "base/sink.h"
#include "reduction.h"

struct output {
  const char *name; /* as --tables or --format take it */
  const char *help; /* a few words, for --help */
  void (*emit)(const struct reduction *reduction, struct sink *sink);
  const char *endings; /* of files in this format, with a blank after each;
                          NULL: none */
};

/* The tables of a report, in the order of printing; the formats of mprof
 * export; the tables that its format csv can write, the first by default.
 * Each ends with a row whose name is NULL. */
extern const struct output report_tables[];
extern const struct output export_formats[];
extern const struct output csv_tables[];

/* The row of OUTPUTS called by the first LENGTH bytes of NAME, or NULL. */
const struct output *output_find(const struct output *outputs,
                                 const char *name, size_t length);

/* Whether FORMAT, of export_formats, has room for one measure alone. */
bool output_has_one_measure(const struct output *format);

/* The row of OUTPUTS with the longest ending that the file PATH has; NULL
 * when there is none. */
const struct output *output_for_file(const struct output *outputs,
                                     const char *path);

#endif
