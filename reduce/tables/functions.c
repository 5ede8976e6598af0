/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is known of functions.  In the text these are three tables: DIRECT
 * ALLOCATION, by what each allocated itself; PEAK, what was live when the
 * program had most bytes; TEMPORARY OBJECTS, what did not live to see the
 * next allocations.  Arcs and cycles of the call graph are data alone.
 */

#include "analysis/frames.h"
#include "tables/report.h"
#include "tables/table.h"

#include <string.h>

enum id { CYCLE, SOURCE_FILE, SOURCE_LINE, TYPES };

#define NAME_COLUMN                                                          \
  {                                                                          \
    .content = CONTENT_NAME, .keys = KEYS("name", "function"),               \
    .first = true, LEFT_HEADING(2, "name"),                                  \
    .meaning = "name of the function"                                        \
  }

static const struct column function_columns[] = {
    {SHARE(BYTES), HEADING(0, "%", "mem"),
     .meaning = "share of all bytes that the function itself allocated; on "
                "the right, the same share by category of object"},
    {FIGURE(BYTES), HEADING(2, NULL, "bytes"),
     .meaning = "bytes that the "
                "function itself "
                "allocated"},
    {FIGURE(ALLOCS), HEADING(2, NULL, "allocs"),
     .meaning = "number of these allocations"},
    {AVERAGE(ALLOCS), HEADING(2, "bytes", "/alloc"), .use = USE_AVERAGES,
     .meaning = "average bytes per allocation, rounded"},
    {CATEGORIES(BYTES), HEADING(2, NULL, "% mem"), .spare = 1},
    {FIGURE(KEPT_BYTES), HEADING(2, "bytes", "kept"), .use = USE_KEPT,
     .meaning = "bytes of these that were never freed"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% all kept"), .use = USE_KEPT,
     .spare = 2,
     .meaning = "their share of all bytes never freed, by category"},
    {FIGURE(KEPT_BYTES), HEADING(2, "live", "bytes"), .use = USE_LIVE,
     .meaning = "bytes of these that were alive at the last collection"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% live"), .use = USE_LIVE,
     .spare = 2, .meaning = "their share of all live bytes, by category"},
    {SHARE(BYTES), .of = OF_INCLUSIVE, HEADING(2, "self", "+desc"),
     .meaning = "share of all bytes allocated by the function and by all "
                "functions below it"},
    COUNTS(OF_ROW, "self_"),
    COUNTS(OF_INCLUSIVE, "inclusive_"),
    MORE(OF_ROW, "self_"),
    MORE(OF_INCLUSIVE, "inclusive_"),
    {CONTENT(BY_CATEGORY), .keys = {"self_category_bytes"}},
    {CONTENT(CALLS), .keys = KEYS("activations", "calls"),
     HEADING(2, NULL, "calls"), .use = USE_CALLS,
     .meaning = CALLS_TEXT "; <TOTAL>: all counted calls, also to "
                           "functions without a row",
     .meaning_in_c = CALLS_TEXT_IN_C "; <TOTAL>: all allocations"},
    {CONTENT(PER_CALL), HEADING(2, "bytes", "/call"),
     .use = USE_AVERAGES_OF_CALLS,
     .meaning = "average bytes that the function itself allocated per call, "
                "rounded"},
    NAME_COLUMN,
    {OWN(CYCLE), .keys = KEY("cycle")},
    {OWN(SOURCE_FILE), .keys = KEY("file")},
    {OWN(SOURCE_LINE), .keys = KEY("line")},
    {OWN(TYPES), .keys = KEYS("types", NULL)},
};

static const struct column peak_columns[] = {
    {SHARE(PEAK_BYTES), HEADING(0, "%", "peak"),
     .meaning = "share of the bytes live at the peak, when most were"},
    {FIGURE(PEAK_BYTES), HEADING(2, NULL, "bytes"),
     .meaning = "bytes live at the peak that the function itself allocated"},
    {FIGURE(PEAK_ALLOCS), HEADING(2, NULL, "objects"),
     .meaning = "number of these objects"},
    {SHARE(PEAK_BYTES), .of = OF_INCLUSIVE, HEADING(2, "self", "+desc"),
     .meaning = "share of the bytes live at the peak that the function and "
                "all functions below it allocated"},
    NAME_COLUMN,
};

static const struct column temporary_columns[] = {
    {FIGURE(TEMPORARY_ALLOCS), .share = true, HEADING(0, NULL, "temporary"),
     .meaning = "objects that were freed before the next allocation (or the "
                "N-th, with --temporary=N), and their share of all such "
                "objects"},
    {FIGURE(ALLOCS), HEADING(2, NULL, "allocs"),
     .meaning = "all objects that the function itself allocated"},
    {OF_MEASURE(CONTENT_OF_ALLOCS, TEMPORARY_ALLOCS),
     HEADING(2, "% of", "these"),
     .meaning = "percentage of those objects that were temporary"},
    NAME_COLUMN,
};

/* Sets ROW to node ITEM; returns false if there is none.  A text leaves out
 * functions that allocated nothing of what it is about; DIRECT ALLOCATION in
 * the order of inclusive bytes leaves out none. */
static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->node_count)
    return false;
  const struct graph_node *node = &graph->nodes[item];
  enum measure bytes = listing->table->bytes;
  bool text = listing->form == FORM_TEXT;
  row->data = node;
  row->figures = &node->self;
  row->inclusive = &node->inclusive;
  row->name = node->name;
  row->calls = node->calls;
  row->rank = text ? 0 : node->depth;
  row->left_out =
      text && (bytes != MEASURE_BYTES
                   ? (node->self.counts[bytes] |
                      node->self.counts[measure_rows[bytes].as_allocs]) == 0
                   : !figures_any(&node->self) &&
                         listing->view->options->sort != SORT_INCLUSIVE);
  return true;
}

static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct view *view = listing->view;
  const struct graph_node *node = row->data;
  switch ((enum id)id) {
  case CYCLE:
    if (node->cycle == 0)
      put_optional(out, false, 0);
    else
      put_reference(out, TO_CYCLES, node->cycle - 1);
    break;
  case SOURCE_FILE:
    put_text(out, node_file(view, node));
    break;
  case SOURCE_LINE:
    put_optional(out, node_line(view, node) != 0,
                 (uint64_t)node_line(view, node));
    break;
  case TYPES:
    put_parts(out,
              node->type_count == 0 /* the graph may have none at all */
                  ? NULL
                  : view->graph.self_types + node->first_type,
              node->type_count);
  }
}

/* Returns whether VIEW has a node called NAME; if NAMELESS, one that stands
 * for chains without a function. */
static bool
has_node(const struct view *view, const char *name, bool nameless)
{
  for (size_t i = 0; i < view->graph.node_count; i++)
    if ((view->graph.nodes[i].function == INDEX_NONE || !nameless) &&
        strcmp(view->graph.nodes[i].name, name) == 0)
      return true;
  return false;
}

/* Returns whether a function of C++'s library is charged to its callers. */
static bool
hides_cxx_runtime(const struct view *view)
{
  const struct frame_table *frames = &view->frames;
  if (view->options->select.system == SYSTEM_SHOWN)
    return false;
  for (size_t i = 0; i < frames->function_count; i++)
    if (is_cxx_runtime(function_name(frames, i), function_file(frames, i)))
      return true;
  return false;
}

/* Explains the names that stand in the place of a function, and the groups
 * that gather what belongs to none. */
static void
legend(const struct listing *listing, struct sink *sink)
{
  const struct {
    const char *name; /* NULL: that of a nameless node, by number */
    const char *meaning;
  } names[] = {
      [NAMELESS_UNKNOWN] = {NULL, "the function is unknown"},
      [NAMELESS_HIDDEN] = {NULL, "all functions of the chain are hidden"},
      [NAMELESS_RUNTIME] = {NULL, "only C functions of the runtime; "
                                  "--system=show shows them"},
      [NAMELESS_SESSION] = {NULL, "the profiler and its callers; "
                                  "--system=root shows them"},
      {"[no file]", "functions whose source file is unknown, such as C "
                    "functions of ECL and of libraries without debug "
                    "information"},
      {"[no package]", "functions that no symbol names"},
      {"[C]", "C functions, and C++ functions with a plain name"},
  };
  const struct view *view = listing->view;
  const bool all = view == NULL;
  const bool lisp = all || view->profile->language == LANGUAGE_LISP;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const bool nameless = names[i].name == NULL;
    const char *name =
        nameless ? nameless_name((enum nameless)i) : names[i].name;
    if (all || ((nameless || view->options->by != BY_FUNCTION) &&
                has_node(view, name, nameless)))
      report_legend(view, sink, name, names[i].meaning);
  }
  if (all || (lisp && view->options->select.system != SYSTEM_HIDDEN))
    report_legend_text(view, sink,
                       "With --system=hide, allocations by ECL's own "
                       "functions are charged to the functions of the "
                       "program.");
  if (all || (!lisp && hides_cxx_runtime(view)))
    report_legend_text(view, sink,
                       "Allocations by functions of the C++ library are "
                       "charged to their callers; --system=show shows these "
                       "functions.");
}

const struct table functions_table = {
    .title = "DIRECT ALLOCATION",
    COLUMNS(function_columns),
    .row = row,
    .cell = cell,
    .legend = legend,
};

const struct table peak_table = {
    .title = "PEAK",
    .object = "object",
    .bytes = MEASURE_PEAK_BYTES,
    .sort = SORT_PEAK,
    COLUMNS(peak_columns),
    .row = row,
};

const struct table temporary_table = {
    .title = "TEMPORARY OBJECTS",
    .object = "temporary object",
    .bytes = MEASURE_TEMPORARY_ALLOCS,
    .sort = SORT_TEMPORARY,
    COLUMNS(temporary_columns),
    .row = row,
};

/* ---- who calls whom, as data: arcs, and cycles ---- */

enum cycle_id { MEMBERS, INSIDE_CALLS };

static const struct column arc_columns[] = {
    {FIELD(FUNCTION, struct graph_arc, caller), .keys = KEY("caller")},
    {FIELD(FUNCTION, struct graph_arc, callee), .keys = KEY("callee")},
    {CONTENT(CALLS), .keys = KEY("calls")},
    ALL_COUNTS,
    ALL_MORE,
};

static const struct column cycle_columns[] = {
    {OWN(MEMBERS), .keys = KEY("functions")},
    COUNTS(OF_ROW, "self_"),
    COUNTS(OF_INCLUSIVE, "inclusive_"),
    {CONTENT(CALLS), .keys = KEY("calls")},
    {OWN(INSIDE_CALLS), .keys = KEY("inside_calls")},
};

static bool
arc_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->arc_count)
    return false;
  const struct graph_arc *arc = &graph->arcs[item];
  row->data = arc;
  row->figures = &arc->inclusive;
  row->calls = arc->calls;
  row->rank = arc->caller;
  row->name = graph->nodes[arc->callee].name;
  return true;
}

static bool
cycle_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->cycle_count)
    return false;
  const struct graph_node *cycle = &graph->nodes[graph->node_count + item];
  row->data = cycle;
  row->figures = &cycle->self;
  row->inclusive = &cycle->inclusive;
  row->calls = cycle->calls;
  return true;
}

static void
cycle_cell(const struct listing *listing, const struct ranking_row *row,
           int id, struct writer *out)
{
  const struct graph_node *cycle = row->data;
  if (id == MEMBERS)
    put_functions(out, listing->view->graph.members + cycle->first_member,
                  cycle->member_count);
  else
    put_calls(out, cycle->inner_calls);
}

const struct table arcs_table = {
    COLUMNS(arc_columns),
    .row = arc_row,
};

const struct table cycles_table = {
    .in_place = true,
    COLUMNS(cycle_columns),
    .row = cycle_row,
    .cell = cycle_cell,
};
