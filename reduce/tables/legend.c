/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Legends: what columns mean.  A report explains the columns that it has.
 * Without a view (NULL) a legend explains all that any profile may have:
 * `mprof help tables' prints these, and the manual page is made of them.
 */

#include "tables/output.h"
#include "tables/report.h"
#include "tables/table.h"

#include <stdio.h>
#include <string.h>

/* Which profiles have a column of a use, before its meaning. */
static const char *const uses[] = {
    [USE_ALWAYS] = "",
    [USE_KEPT] = "(C) ",
    [USE_LOST] = "(with --reachable) ",
    [USE_NOT_LOST] = "(without --reachable) ",
    [USE_LIVE] = "(Lisp, with :live t) ",
    [USE_CALLS] = "",
    [USE_AVERAGES] = "(wide lines) ",
    [USE_AVERAGES_OF_CALLS] = "(Lisp, wide lines) ",
};

const char *
report_categories_meaning(enum language language)
{
  return language == LANGUAGE_LISP
             ? "categories: cons cells; floats; structures, instances, "
               "arrays and strings; other objects"
             : "categories: small objects (up to 32 bytes), medium (256), "
               "large (2048), extra large";
}

bool
report_lacks_calls(const struct view *view)
{
  for (size_t i = 0; i < view->graph.node_count; i++)
    if (view->graph.nodes[i].calls == CALLS_UNKNOWN)
      return true;
  return false;
}

static void
explain_shares(const struct view *view, struct sink *sink)
{
  report_legend(view, sink, "%",
                "whole per cents, rounded down; blank: none, \".\": less "
                "than 1 %, \"**\": all");
}

static void
explain_categories(const struct view *view, enum language language,
                   struct sink *sink)
{
  report_legend(view, sink, language == LANGUAGE_LISP ? "c f s o" : "s m l x",
                report_categories_meaning(language));
}

static void
explain_blank_calls(const struct view *view, struct sink *sink)
{
  report_legend(
      view, sink, "blank calls",
      "unknown: calls of some functions are not counted, such as C "
      "functions of other libraries; <TOTAL> leaves them out, and the sum "
      "of callers or callees that includes them is blank too");
}

const char *
weighed_words(const struct view *view, const char *text)
{
  static const char bytes[] = "bytes";
  struct string_sink made;
  if (view == NULL || view_weight(view) == MEASURE_BYTES)
    return text;
  string_sink_init(&made);
  for (const char *at; (at = strstr(text, bytes)) != NULL;
       text = at + sizeof bytes - 1)
    sink_format(&made.sink, "%.*sobjects", (int)(at - text), text);
  sink_text(&made.sink, text);
  return string_sink_text(&made);
}

/* Explains COLUMN under its heading: "bytes %", "self+desc". */
static void
explain_column(const struct view *view, const struct column *column,
               struct sink *sink)
{
  const char *top = column->text.top == NULL ? "" : column->text.top;
  const char *bottom = column->text.bottom;
  const char *in_c = column->meaning_in_c;
  const char *term = column->term, *meaning = column->meaning;
  if (term == NULL)
    term = pool_format("%s%s%s%s", top,
                       *top == '\0' || *bottom == '+' || *bottom == '/' ? ""
                                                                        : " ",
                       bottom, column->share ? " %" : "");
  if (view == NULL)
    meaning = pool_format(
        "%s%s%s%s", uses[column->use], meaning,
        in_c == NULL ? "" : ".  In C: ", in_c == NULL ? "" : in_c);
  else if (in_c != NULL && view->profile->language == LANGUAGE_C)
    meaning = in_c;
  report_legend(view, sink, term,
                column->weighs ? weighed_words(view, meaning) : meaning);
}

void
text_columns_explain(const struct table *table, const struct view *view,
                     struct sink *sink)
{
  const bool all = view == NULL; /* report_legends has begun */
  struct column columns[MOST_COLUMNS];
  const size_t count = text_columns(table, view, columns);
  bool shares = false, categories = false, calls = false;
  if (!all && !view->options->legend)
    return;
  sink_text(sink, "\n");
  for (const struct column *c = columns; c < columns + count; c++)
    shares = shares || c->share || c->content == CONTENT_SHARE ||
             c->content == CONTENT_CATEGORIES;
  if (shares && !all)
    explain_shares(view, sink);
  for (const struct column *c = columns; c < columns + count; c++) {
    if (c->meaning != NULL)
      explain_column(view, c, sink);
    if (c->content == CONTENT_CATEGORIES && !categories && !all)
      explain_categories(view, view->profile->language, sink);
    categories = categories || c->content == CONTENT_CATEGORIES;
    calls = calls || c->use == USE_CALLS;
  }
  if (!all && calls && report_lacks_calls(view))
    explain_blank_calls(view, sink);
}

void
report_legends(struct sink *sink)
{
  sink_text(sink, "All tables:\n\n");
  explain_shares(NULL, sink);
  explain_categories(NULL, LANGUAGE_LISP, sink);
  explain_categories(NULL, LANGUAGE_C, sink);
  explain_blank_calls(NULL, sink);
  for (const struct output *o = report_tables; o->name != NULL; o++) {
    const struct listing listing = {.table = o->table};
    if (o->table == NULL && o->explain == NULL)
      continue;
    sink_format(sink, "\nTable %s:\n", o->name);
    if (o->explain != NULL) {
      o->explain(NULL, sink);
      continue;
    }
    text_columns_explain(o->table, NULL, sink);
    if (o->table->legend != NULL)
      o->table->legend(&listing, sink);
  }
}
