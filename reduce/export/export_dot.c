/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call graph for Graphviz's dot.  The redder a box, the more its function
 * allocated itself; the thicker an arrow, the more went through it.
 *
 * Names stand in double quotes only, where dot takes no markup.  In a label
 * the backslash, the quote and the ampersand are escaped, and what could end
 * a line is written as in tables.  The attribute "function" is escaped as
 * escape_name does, and then has backslashes doubled and quotes escaped, as
 * dot wants it.
 */

#include "export/export.h"
#include "tables/table.h"

#include <inttypes.h>

enum { THOUSAND = 1000 };

struct drawing {
  const struct view *view;
  struct sink *sink;
  enum measure measure;       /* what boxes and arrows show */
  const char *noun;           /* how that is called */
  bool *shown;                /* by node */
  struct string_sink escaped; /* the text in hand */
};

/* Writes TEXT for a string in double quotes: of a LABEL, in which dot
 * replaces entities, or of another attribute, which can be undone. */
static void
write_quoted(struct drawing *drawing, const char *text, bool label)
{
  struct sink *sink = drawing->sink;
  string_sink_clear(&drawing->escaped);
  escape_name(&drawing->escaped.sink, text, label ? "" : "\\");
  for (const char *c = string_sink_text(&drawing->escaped); *c != '\0'; c++) {
    if (*c == '"' || *c == '\\')
      sink_text(sink, "\\");
    sink_bytes(sink, c, 1);
    if (*c == '&' && label)
      sink_text(sink, "amp;");
  }
}

/* AMOUNT as a share of all, in thousandths, rounded down. */
static unsigned
thousandths(const struct drawing *drawing, uint64_t amount)
{
  const struct figures *total = &drawing->view->selection.total;
  uint64_t whole = total->counts[drawing->measure];
  unsigned __int128 scaled = (unsigned __int128)amount * THOUSAND;
  return whole == 0 ? 0 : (unsigned)(scaled / whole);
}

/* Writes AMOUNT and its share of all. */
static void
write_amount(const struct drawing *drawing, uint64_t amount)
{
  unsigned share = thousandths(drawing, amount);
  sink_format(drawing->sink, "%" PRIu64 " %s (%u.%u %%)", amount,
              drawing->noun, share / 10, share % 10);
}

/* Writes the last attribute, and ends the list. */
static void
write_calls(struct sink *sink, uint64_t calls)
{
  if (calls == CALLS_UNKNOWN)
    sink_text(sink, " calls=\"\"]\n");
  else
    sink_format(sink, " calls=%" PRIu64 "]\n", calls);
}

static void
write_node(struct drawing *drawing, size_t item)
{
  const struct graph_node *node = &drawing->view->graph.nodes[item];
  struct sink *sink = drawing->sink;
  uint64_t self = node->self.counts[drawing->measure];
  unsigned share = thousandths(drawing, self);
  sink_format(sink, "n%zu [label=\"", item);
  write_quoted(drawing, node->name, true);
  sink_text(sink, "\\n");
  if (node->cycle != 0)
    sink_format(sink, "<cycle %" PRIu32 ">\\n", node->cycle);
  sink_text(sink, "self ");
  write_amount(drawing, self);
  sink_text(sink, "\\ninclusive ");
  write_amount(drawing, node->inclusive.counts[drawing->measure]);
  sink_format(sink, "\" fillcolor=\"0.05 %u.%03u 1.0\"", share / THOUSAND,
              share % THOUSAND);
  if (node->cycle != 0)
    sink_format(sink, " peripheries=2 cycle=%" PRIu32, node->cycle);
  sink_text(sink, "\n  function=\"");
  write_quoted(drawing, node->name, false);
  sink_format(sink,
              "\" self_bytes=%" PRIu64 " self_allocations=%" PRIu64
              " inclusive_bytes=%" PRIu64 " inclusive_allocations=%" PRIu64,
              node->self.bytes, node->self.allocs, node->inclusive.bytes,
              node->inclusive.allocs);
  write_calls(sink, node->calls);
}

static void
write_arc(const struct drawing *drawing, const struct graph_arc *arc)
{
  const struct graph_node *nodes = drawing->view->graph.nodes;
  struct sink *sink = drawing->sink;
  uint64_t below = arc->inclusive.counts[drawing->measure];
  unsigned share = thousandths(drawing, below);
  unsigned width = THOUSAND + 4 * share; /* in thousandths of a point */
  uint32_t cycle = nodes[arc->caller].cycle;
  sink_format(sink,
              "n%" PRIu32 " -> n%" PRIu32 " [label=\" %" PRIu64 " %s \\n ",
              arc->caller, arc->callee, below, drawing->noun);
  if (arc->calls == CALLS_UNKNOWN)
    sink_text(sink, "calls unknown");
  else
    sink_format(sink, "%" PRIu64 " calls", arc->calls);
  sink_format(sink, " \" penwidth=%u.%03u weight=%u", width / THOUSAND,
              width % THOUSAND, 1 + share / 10);
  if (cycle != 0 && nodes[arc->callee].cycle == cycle)
    sink_text(sink, " style=dashed");
  sink_format(sink, "\n  bytes=%" PRIu64 " allocations=%" PRIu64,
              arc->inclusive.bytes, arc->inclusive.allocs);
  write_calls(sink, arc->calls);
}

static bool
is_drawn(const struct drawing *drawing, const struct graph_arc *arc)
{
  const struct view *view = drawing->view;
  return drawing->shown[arc->caller] && drawing->shown[arc->callee] &&
         share_reached(arc->inclusive.counts[drawing->measure],
                       view->selection.total.counts[drawing->measure],
                       view->options->min_share);
}

/* Writes the caption, and defaults. */
static void
write_head(struct drawing *drawing, size_t left_out)
{
  const struct view *view = drawing->view;
  const struct call_graph *graph = &view->graph;
  const struct figures *total = &view->selection.total;
  struct sink *sink = drawing->sink;
  const char *what = measure_row(view->profile, view_counted(view))->what;
  struct figures lost = {0}; /* by functions that are left out */
  size_t left_out_arcs = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    if (!drawing->shown[i])
      figures_add(&lost, &graph->nodes[i].self);
  for (size_t i = 0; i < graph->arc_count; i++)
    left_out_arcs += !is_drawn(drawing, &graph->arcs[i]);
  sink_text(sink, "digraph mprof {\ngraph [charset=\"UTF-8\" labelloc=b "
                  "labeljust=l fontname=\"Helvetica\"\n  label=\"");
  write_quoted(drawing, program_name(view, "Allocation profile"), true);
  sink_format(sink, "\\l%" PRIu64 " allocations, %" PRIu64 " bytes%s%s\\l",
              total->allocs, total->bytes, what == NULL ? "" : ", ",
              what == NULL ? "" : what);
  if (left_out != 0 || left_out_arcs != 0) {
    sink_format(sink, "Left out: %zu functions, which themselves allocated ",
                left_out);
    write_amount(drawing, lost.counts[drawing->measure]);
    sink_format(sink, ", and %zu arcs\\l", left_out_arcs);
  }
  sink_format(sink,
              "\"\n  left_out_functions=%zu left_out_bytes=%" PRIu64
              " left_out_arcs=%zu]\n"
              "node [shape=box style=filled fontname=\"Helvetica\" "
              "fontsize=10 margin=\"0.1,0.05\"]\n"
              "edge [fontname=\"Helvetica\" fontsize=9]\n",
              left_out, lost.bytes, left_out_arcs);
}

void
export_dot(const struct view *view, struct sink *sink)
{
  const struct call_graph *graph = &view->graph;
  struct drawing drawing = {
      .view = view,
      .sink = sink,
      .measure = view_measure(view),
      .noun = measure_row(view->profile, view->options->value)->noun,
      .shown = pool_zeroed(graph->node_count, sizeof *drawing.shown)};
  struct listing functions;
  struct ranking *ranking = &functions.ranking;
  string_sink_init(&drawing.escaped);
  listing_init(&functions, &functions_table, view, FORM_JSON);
  ranking_sort(ranking,
               drawing.measure == MEASURE_ALLOCS ? SORT_ALLOCS : SORT_BYTES);
  ranking_cut(ranking, &view->selection.total, view->options);
  for (size_t i = 0; i < ranking->shown; i++)
    drawing.shown[ranking->rows[i].item] = true;
  write_head(&drawing, ranking->count - ranking->shown);
  for (size_t i = 0; i < ranking->shown; i++)
    write_node(&drawing, ranking->rows[i].item);
  for (size_t i = 0; i < graph->arc_count; i++)
    if (is_drawn(&drawing, &graph->arcs[i]))
      write_arc(&drawing, &graph->arcs[i]);
  sink_text(sink, "}\n");
}
