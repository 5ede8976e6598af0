/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HELD: what would go if a root went, by the samples whose chains are of
 * holders.  Each object has one chain, and so one root: the rows add up.
 * Reduced as samples of calls are, these samples make a call graph, in which
 * a function is a holder, its callers are what holds it, and what it
 * allocated with all below it is what it retains: HOLDERS.
 */

#include "tables/report.h"
#include "tables/table.h"

static const struct column columns[] = {
    {FIGURE(BYTES), HEADING(0, NULL, "retained"), .share = true,
     .meaning = "bytes that would be freed if the root were dropped, and "
                "their share of all live bytes"},
    {FIGURE(ALLOCS), HEADING(2, NULL, "objects"),
     .meaning = "number of these objects"},
    {CONTENT(NAME), .first = true, LEFT_HEADING(2, "root"),
     .meaning = "a symbol, by its value, function or properties; its binding "
                "in a thread; a package; a class; constants of compiled "
                "code; data of a shared object; the stack of a thread.  With "
                "\"and\": bytes that would be freed only if all of them were "
                "dropped"},
};

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->node_count)
    return false;
  row->figures = &graph->nodes[item].inclusive;
  row->name = graph->nodes[item].name;
  row->left_out = graph->nodes[item].depth != 0; /* something holds it */
  return true;
}

static const char *
lacks(const struct view *view)
{
  return measure_known(view->profile, MEASURE_HELD_BYTES) ? NULL
         : view->profile->language != LANGUAGE_LISP
             ? "This profile does not record holders."
         : selection_is_of_time(&view->options->select)
             ? "--from and --to leave holders out."
             : "This profile does not record holders: it was not saved with "
               ":holders after (mprof:start :live t).";
}

static const struct table held_table = {
    .title = "HELD",
    .rows = "roots",
    .object = "object",
    COLUMNS(columns),
    .row = row,
    .lacks = lacks,
};

void
report_holders_legend(const struct view *view, struct sink *sink)
{
  report_legend_text(view, sink,
                     "Each entry shows a holder (the line with an index at "
                     "the left), its own holders above it and what it holds "
                     "below it, the heaviest nearest to it.  To follow a "
                     "path to its root, look for the index of the line "
                     "above.");
  if (view == NULL || view->options->legend)
    sink_text(sink, "\n");
  report_legend(
      view, sink, "self+desc",
      weighed_words(view, "share of all live bytes that the holder retains"));
  report_legend(
      view, sink, "self",
      weighed_words(view,
                    "own line: bytes of its own objects; above: bytes that "
                    "it retains for that holder; below: bytes that are "
                    "retained for it"));
  report_legend(view, sink,
                view == NULL || view_weight(view) == MEASURE_BYTES
                    ? "exact bytes"
                    : "exact allocs",
                weighed_words(view, "on all lines: bytes that are retained"));
}

void
report_held_legend(const struct view *view, struct sink *sink)
{
  text_columns_explain(&held_table, view, sink);
  report_holders_legend(view, sink);
}

void
report_held(const struct view *view, struct sink *sink)
{
  const struct view *held = view->options->held;
  text_report_write(&held_table, held == NULL ? view : held, sink);
  if (held != NULL)
    report_graph(held, sink);
}
