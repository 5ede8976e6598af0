/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of outputs.
 *
 * An output turns a view into text (or bytes); it changes nothing and
 * reports failure only through the sink.  A new output is one file and one
 * row in outputs.c, and so is a new table.
 */

#pragma once

#include "analysis/view.h"
#include "base/sink.h"

struct table;
struct writer;

/* What a table of a report is printed for, unless others are asked for. */
enum shown_when {
  WHEN_ALWAYS,
  WHEN_ADVISED, /* advice applies */
  WHEN_LEAKS,   /* of C, or --leaktable; --noleaktable: see output_shown */
  WHEN_REGIONS, /* there are some */
  WHEN_PHASES,  /* of Lisp, more than one, or with --verbose */
  WHEN_THREADS, /* more than one, or of Lisp with --verbose */
  WHEN_PEAK,    /* it is known, as below */
  WHEN_TEMPORARY,
  WHEN_LISP,
  WHEN_HELD, /* holders are known, and the call graph is not theirs */
  WHEN_SIZES /* which are not recorded by holder */
};

struct output {
  const char *name; /* as --tables or --format take it */
  const char *help; /* a few words, for --help */
  void (*emit)(const struct view *view, struct sink *sink);
  const struct table *table; /* what is written, where EMIT is NULL */
  /* of tables that EMIT writes: the legend; see legend.c */
  void (*explain)(const struct view *view, struct sink *sink);
  enum shown_when when; /* of tables of a report */
  const char *endings;  /* of files in this format, with a blank after each;
                           NULL: none */
  bool one_measure;     /* has room for one measure alone */
  bool leaks_only;      /* what is suppressed is not kept there */
  bool compares;        /* with the base of the view, if there is one */
};

/* The tables of a report, in the order of printing; the formats of mprof
 * export; the tables that its format csv can write, the first by default.
 * Each ends with a row whose name is NULL. */
extern const struct output report_tables[];
extern const struct output export_formats[];
extern const struct output csv_tables[];

/* Returns whether TABLE is printed in a report on VIEW where none is
 * asked for.  Ignores LEAKS_OFF: report_write then leaves out the leaks, even
 * if they are asked for. */
bool output_shown(const struct output *table, const struct view *view);

/* Sets the places in WRITER, which is JSON's, to those of the lists of the
 * format json, from 0; what is not in a list has 0, too. */
void json_find_places(struct writer *writer);

/* Writes the object of the format json, with the list of CONTEXTS or without
 * it.  WRITER has places. */
void json_write(struct writer *writer, bool contexts);

/* Write VIEW in a format that is made of the descriptions of tables. */
void export_csv(const struct view *view, struct sink *sink);
void export_json(const struct view *view, struct sink *sink);
void export_lisp(const struct view *view, struct sink *sink);

/* Returns the row of OUTPUTS called by the first LENGTH bytes of NAME, or
 * NULL. */
const struct output *output_find(const struct output *outputs,
                                 const char *name, size_t length);

/* Returns the length of the longest of ENDINGS, each with a blank after it,
 * that the file PATH has; 0: it has none. */
size_t file_ending(const char *path, const char *endings);

/* Returns the row of OUTPUTS with the longest ending that the file PATH has;
 * NULL when there is none. */
const struct output *output_for_file(const struct output *outputs,
                                     const char *path);
