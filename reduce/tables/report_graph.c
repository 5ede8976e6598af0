/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION CALL GRAPH: an entry for each function, between its callers
 * above and its callees below.
 *
 * Two views stand side by side.  The columns up to the calls are the merged
 * listing: functions that call each other in a circle are one node, and
 * fields that would mix up what they did for each other show "*".  The last
 * pair of numbers is the exact listing, counted once a chain: it needs no
 * merging and holds for members of cycles too.
 *
 * A cycle is listed twice under one index: as one function, with its callers
 * and callees outside, and as the list of its members with what each
 * allocated itself.  Each member has an entry of its own, too.
 */

#include "tables/graph_entries.h"
#include "tables/report.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdio.h>

enum id { INDEX, SELF_AND_BELOW, OWN_WEIGHT, FRACTION_OF, MORE_CALLS };

static const struct column columns[] = {
    {OWN(INDEX), LEFT_HEADING(0, "index"),
     .meaning = "number of the entry; each name is followed by the index of "
                "its entry"},
    {OWN(SELF_AND_BELOW), HEADING(1, "self", "+desc"), .weighs = true,
     .meaning = "share of all bytes allocated by the function and by all "
                "functions below it"},
    {FIGURE(BYTES), HEADING(2, NULL, "self"), .share = true, .weighs = true,
     .meaning =
         "own line: bytes that the function itself allocated; callers: bytes "
         "that the function and all below it allocated for this caller; "
         "callees: bytes that the callee and all below it allocated for the "
         "function; and their share of all bytes"},
    {CATEGORIES(BYTES), .id = OWN_WEIGHT, HEADING(2, NULL, "of these"),
     .spare = 2, .meaning = "the same bytes by category of object"},
    {CATEGORIES(BYTES), .id = FRACTION_OF, HEADING(2, NULL, "frac"),
     .spare = 4,
     .meaning =
         "share of the sum of all callers (or all callees), by category"},
    {FIGURE(KEPT_BYTES), HEADING(2, "bytes", "kept"), .use = USE_KEPT,
     .meaning = "bytes of \"self\" that were never freed"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% all kept"), .use = USE_KEPT,
     .spare = 3,
     .meaning = "their share of all bytes never freed, by category"},
    {FIGURE(KEPT_BYTES), HEADING(2, "live", "bytes"), .use = USE_LIVE,
     .meaning = "bytes of \"self\" that were alive at the last collection"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% live"), .use = USE_LIVE,
     .spare = 3, .meaning = "their share of all live bytes, by category"},
    {CONTENT(CALLS), HEADING(2, NULL, "called"), .use = USE_CALLS,
     .meaning =
         "calls that led to allocation; own line: to the function; callers: "
         "from this caller; callees: from the function to this callee",
     .meaning_in_c = "allocations, each counted as one call; own line: with "
                     "the function on the chain; callers: with this caller; "
                     "callees: with this callee"},
    {OWN(MORE_CALLS), HEADING(1, "+recur", "/total"), .use = USE_CALLS,
     .meaning = "own line, +: further calls, from the function to itself or "
                "within the cycle; callers, /: all calls that the caller "
                "made; callees, /: all calls that the callee received",
     .meaning_in_c = "own line, +: further allocations, with calls from the "
                     "function to itself or within the cycle; callers, /: "
                     "allocations with any callee of the caller; callees, /: "
                     "allocations with any caller of the callee"},
    {FIGURE(BYTES), .of = OF_INCLUSIVE, HEADING(2, "exact", "bytes"),
     .spare = 1, .weighs = true,
     .meaning =
         "bytes allocated while the function, or this caller with this "
         "callee, was on the chain, and their share of all bytes; each "
         "allocation is counted once, however deep the recursion"},
    {SHARE(BYTES), .of = OF_INCLUSIVE, HEADING(1, NULL, "%"), .spare = 1},
    {CONTENT(NAME), LEFT_HEADING(2, "name"),
     .meaning = "own line at the left; callers and callees are indented"},
};

/* Blanks in front of names: relations stand further in than entries. */
static const char relation_indent[] = "    ";

/* A line.  Figures that make no sense for it are stars. */
struct line {
  char *name;                    /* of the pool in use */
  const struct graph_node *own;  /* an entry's own line; NULL: another */
  bool member;                   /* one of a cycle's list of members */
  const struct figures *figures; /* from "self" on; NULL: stars */
  uint64_t fraction_of;        /* frac, but on own lines: a part of so much */
  uint64_t calls, more;        /* what is unknown stays blank */
  char mark;                   /* before MORE; '+' also stands for nothing */
  const struct figures *exact; /* the exact listing; NULL: stars */
};

/* The table being filled. */
struct drawing {
  const struct view *view;
  const struct figures *total; /* of the selection */
  struct graph_entries entries;
  struct listing listing; /* its context is this */
};

/* Returns the bytes of FIGURES, or the objects if these are counted. */
static uint64_t
weight_of(const struct drawing *drawing, const struct figures *figures)
{
  return figures->counts[view_weight(drawing->view)];
}

/* Returns the number of the entry of NODE. */
static size_t
index_of(const struct drawing *drawing, const struct graph_node *node)
{
  return drawing->entries.index_of[node - drawing->view->graph.nodes];
}

/* Returns the calls of NODE by others. */
static uint64_t
other_calls(const struct drawing *drawing, const struct graph_node *node)
{
  const struct call_graph *graph = &drawing->view->graph;
  const bool cycle = node >= graph->nodes + graph->node_count;
  return cycle || node->calls == CALLS_UNKNOWN
             ? node->calls
             : node->calls - node->inner_calls;
}

static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct drawing *drawing = listing->context;
  const struct line *line = row->data;
  const struct graph_node *own = line->own;
  struct sink *sink = &listing->text->sink;
  string_sink_clear(listing->text);
  if (id == SELF_AND_BELOW && own != NULL && own->cycle == 0) {
    text_table_share(out->text, weight_of(drawing, &own->inclusive),
                     weight_of(drawing, drawing->total));
    return;
  }
  if (id == SELF_AND_BELOW && (own != NULL || line->member))
    sink_text(sink, "*");
  else if (id == INDEX && own != NULL)
    sink_format(sink, "[%zu]", index_of(drawing, own));
  else if (id == MORE_CALLS && line->mark != '\0' &&
           line->more != CALLS_UNKNOWN &&
           (line->mark != '+' || line->more != 0))
    sink_format(sink, "%c%" PRIu64, line->mark, line->more);
  put_text(out, string_sink_text(listing->text));
}

static uint64_t
fraction(const struct listing *listing, const struct ranking_row *row, int id)
{
  const struct line *line = row->data;
  return id == OWN_WEIGHT    ? weight_of(listing->context, row->figures)
         : line->own == NULL ? line->fraction_of
                             : (uint64_t)UNKNOWN_WHOLE;
}

static const struct table graph_table = {COLUMNS(columns), .cell = cell,
                                         .fraction = fraction};

/* Adds LINE, and frees its name. */
static void
add_line(struct drawing *drawing, struct line line)
{
  const struct ranking_row row = {.figures = line.figures,
                                  .inclusive = line.exact,
                                  .name = line.name,
                                  .calls = line.calls,
                                  .data = &line};
  if (line.own != NULL)
    text_table_mark(drawing->listing.lines, TEXT_STRONG);
  text_report_row(&drawing->listing, &row, drawing->total);
  pool_free(line.name);
}

/* Returns INDENT, the name, the index and the cycle of NODE. */
static char *
name_of(const struct drawing *drawing, const char *indent, uint32_t node)
{
  const struct graph_node *n = &drawing->view->graph.nodes[node];
  const size_t index = index_of(drawing, n);
  return n->cycle == 0 ? pool_format("%s%s [%zu]", indent, n->name, index)
                       : pool_format("%s%s [%zu] <cycle %" PRIu32 ">", indent,
                                     n->name, index, n->cycle);
}

static void
add_own_line(struct drawing *drawing, const struct graph_node *entry,
             char *name)
{
  add_line(drawing, (struct line){.name = name,
                                  .own = entry,
                                  .figures = &entry->self,
                                  .calls = other_calls(drawing, entry),
                                  .mark = '+',
                                  .more = entry->inner_calls,
                                  .exact = &entry->inclusive});
}

/* Adds the relations of ENTRY, the heaviest next to it.  Figures inside a
 * cycle overlap: they cannot be added up. */
static void
add_relations(struct drawing *drawing, size_t entry, bool callers)
{
  struct graph_entries *entries = &drawing->entries;
  const struct graph_node *nodes = drawing->view->graph.nodes;
  graph_entry_relate(entries, entry, callers);
  const size_t count = entries->relation_count;
  for (size_t i = 0; i < count; i++) {
    const struct relation *r =
        &entries->relations[callers ? count - 1 - i : i];
    struct line line = {.figures = r->inside ? NULL : &r->figures,
                        .fraction_of = entries->whole,
                        .calls = r->calls,
                        .exact = &r->figures};
    if (r->node != INDEX_NONE) {
      line.name = name_of(drawing, relation_indent, r->node);
      line.mark = '/';
      line.more =
          callers ? entries->calls_made[r->node] : nodes[r->node].calls;
    } else if (r->name != NULL) {
      line.name = pool_format("%s%s", relation_indent, r->name);
    } else {
      line.name = pool_format("%s(%zu more%s)", relation_indent, r->count,
                              r->inside ? " in the cycle" : "");
      line.exact = line.figures;
    }
    add_line(drawing, line);
  }
}

/* Adds the list of the members of the cycle ENTRY. */
static void
add_members(struct drawing *drawing, const struct graph_node *cycle)
{
  const struct call_graph *graph = &drawing->view->graph;
  struct line line = {.member = true,
                      .fraction_of = weight_of(drawing, &cycle->self),
                      .mark = '+'};
  struct relation rest = {0};
  for (size_t i = 0; i < cycle->member_count; i++) {
    uint32_t member = graph->members[cycle->first_member + i];
    const struct graph_node *one = &graph->nodes[member];
    line.figures = &one->self;
    line.calls = other_calls(drawing, one);
    line.more = one->inner_calls;
    line.exact = &one->inclusive;
    if (!share_reached(weight_of(drawing, line.exact),
                       weight_of(drawing, drawing->total),
                       drawing->view->options->min_share)) {
      relation_add(&rest, line.figures, line.calls);
      continue;
    }
    line.name = name_of(drawing, relation_indent, member);
    add_line(drawing, line);
  }
  if (rest.count == 0)
    return;
  line.name = pool_format("%s(%zu more)", relation_indent, rest.count);
  line.figures = &rest.figures;
  line.calls = rest.calls;
  line.more = 0;
  line.exact = NULL;
  add_line(drawing, line);
}

static void
add_entry(struct drawing *drawing, size_t item)
{
  const struct call_graph *graph = &drawing->view->graph;
  const struct graph_node *entry = &graph->nodes[item];
  const size_t cycle = item - graph->node_count + 1;
  const bool is_cycle = item >= graph->node_count;
  add_relations(drawing, item, true);
  add_own_line(drawing, entry,
               is_cycle ? pool_format("<cycle %zu> as one function [%zu]",
                                      cycle, index_of(drawing, entry))
                        : name_of(drawing, "", (uint32_t)item));
  add_relations(drawing, item, false);
  if (!is_cycle)
    return;
  text_table_mark(drawing->listing.lines, TEXT_RULE);
  add_own_line(drawing, entry, pool_format("members of <cycle %zu>", cycle));
  add_members(drawing, entry);
}

void
report_graph_legend(const struct view *view, struct sink *sink)
{
  report_legend_text(
      view, sink,
      "Each entry shows a function (the line with an index at the left), its "
      "callers above it and its callees below it, the heaviest nearest to "
      "it.  To follow a caller or a callee, look for its index at the left.");
  text_columns_explain(&graph_table, view, sink);
  report_legend(view, sink, "all", "sum of the callers, or of the callees");
  report_legend(view, sink, "<root>", "no caller is shown");
  report_legend(view, sink, "(N more)",
                "callers or callees with a small share of this entry");
  if (view == NULL || view->graph.cycle_count > 0) {
    report_legend(view, sink, "<cycle N>",
                  "functions that call each other recursively, treated as "
                  "one function; listed twice: with its callers and callees, "
                  "and with its members and what each itself allocated");
    report_legend(view, sink, "*", "undefined within a cycle; see exact");
  }
}

void
report_graph(const struct view *view, struct sink *sink)
{
  struct drawing drawing = {.view = view, .total = &view->selection.total};
  const bool held = view_is_of_holders(view);
  listing_init(&drawing.listing, &graph_table, view, FORM_TEXT);
  drawing.listing.context = &drawing;
  graph_entries_init(&drawing.entries, view);
  const struct ranking *ranking = &drawing.entries.ranking;
  for (size_t i = 0; i < ranking->shown; i++) {
    if (i > 0)
      text_table_mark(drawing.listing.lines, TEXT_RULE);
    add_entry(&drawing, ranking->rows[i].item);
  }
  report_heading(sink, held ? "HOLDERS" : "ALLOCATION CALL GRAPH");
  text_table_print(drawing.listing.lines, sink);
  ranking_note(ranking, view, "entries", held ? "object" : "allocation",
               sink);
  (held ? report_holders_legend : report_graph_legend)(view, sink);
}
