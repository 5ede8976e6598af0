/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every output is made from, and the table of outputs.
 *
 * A reduction holds all stages of one command: the profile as read, the
 * selection, the tally, the graph with its cycles.  An output turns it into
 * text; it changes nothing and reports failure only through the sink.  A new
 * output is one file and one row in outputs.c.
 */

#ifndef MPROF_OUTPUT_H
#define MPROF_OUTPUT_H

#include "call_graph.h"
#include "cycles.h"
#include "mprof_error.h"
#include "nameless_share.h"
#include "options.h"
#include "profile.h"
#include "selection.h"
#include "sink.h"
#include "tally.h"

struct reduction {
  const struct options *options; /* not owned */
  struct profile profile;
  struct selection selection;
  struct tally tally;
  struct call_graph graph;
  struct cycles cycles;
  struct nameless_share nameless;
};

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

/* Reads the files that OPTIONS name and builds every stage.  OPTIONS must
 * outlive REDUCTION.  False: ERROR says why; release it even then. */
bool reduction_init(struct reduction *reduction,
                    const struct options *options, struct mprof_error *error);
void reduction_release(struct reduction *reduction);

/* Writes a whole report: what was not attributed, a line on the profile, and
 * the tables that the options ask for. */
void report_write(const struct reduction *reduction, struct sink *sink);

/* Writes the heading of a table. */
void report_heading(struct sink *sink, const char *title);

/* Writes a line of a legend: what TERM, a heading, stands for; the text is
 * broken into lines.  report_legend_text writes a paragraph of its own.
 * Neither writes anything when legends are not wanted. */
void report_legend(const struct reduction *reduction, struct sink *sink,
                   const char *term, const char *text);
void report_legend_text(const struct reduction *reduction, struct sink *sink,
                        const char *text);

/* Writes the first line of a legend, which explains shares, and the line on
 * the four categories. */
void report_share_legend(const struct reduction *reduction,
                         struct sink *sink);
void report_category_legend(const struct reduction *reduction,
                            struct sink *sink);

void report_bins(const struct reduction *reduction, struct sink *sink);
void report_leaks(const struct reduction *reduction, struct sink *sink);
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
void report_reconciliation(const struct reduction *reduction,
                           struct sink *sink);
/* The first lines of a report: what could not be attributed, if anything. */
void report_unattributed(const struct reduction *reduction,
                         struct sink *sink);
void export_folded(const struct reduction *reduction, struct sink *sink);
void export_lisp(const struct reduction *reduction, struct sink *sink);

#endif
