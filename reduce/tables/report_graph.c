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

static const struct column columns[] = {
    {LEFT_HEADING(0, "index"),
     .meaning = "number of the entry; each name is followed by the index of "
                "its entry"},
    {HEADING(1, "self", "+desc"), .weighs = true,
     .meaning = "share of all bytes allocated by the function and by all "
                "functions below it"},
    {HEADING(2, NULL, "self"), .share = true, .weighs = true,
     .meaning =
         "own line: bytes that the function itself allocated; callers: bytes "
         "that the function and all below it allocated for this caller; "
         "callees: bytes that the callee and all below it allocated for the "
         "function; and their share of all bytes"},
    {CATEGORIES(BYTES), HEADING(2, NULL, "of these"), .spare = 2,
     .meaning = "the same bytes by category of object"},
    {CATEGORIES(BYTES), HEADING(2, NULL, "frac"), .spare = 4,
     .meaning =
         "share of the sum of all callers (or all callees), by category"},
    {HEADING(2, "bytes", "kept"), .use = USE_KEPT,
     .meaning = "bytes of \"self\" that were never freed"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% all kept"), .use = USE_KEPT,
     .spare = 3,
     .meaning = "their share of all bytes never freed, by category"},
    {HEADING(2, "live", "bytes"), .use = USE_LIVE,
     .meaning = "bytes of \"self\" that were alive at the last collection"},
    {CATEGORIES(KEPT_BYTES), HEADING(2, NULL, "% live"), .use = USE_LIVE,
     .spare = 3, .meaning = "their share of all live bytes, by category"},
    {HEADING(2, NULL, "called"), .use = USE_CALLS,
     .meaning =
         "calls that led to allocation; own line: to the function; callers: "
         "from this caller; callees: from the function to this callee",
     .meaning_in_c = "allocations, each counted as one call; own line: with "
                     "the function on the chain; callers: with this caller; "
                     "callees: with this callee"},
    {HEADING(1, "+recur", "/total"), .use = USE_CALLS,
     .meaning = "own line, +: further calls, from the function to itself or "
                "within the cycle; callers, /: all calls that the caller "
                "made; callees, /: all calls that the callee received",
     .meaning_in_c = "own line, +: further allocations, with calls from the "
                     "function to itself or within the cycle; callers, /: "
                     "allocations with any callee of the caller; callees, /: "
                     "allocations with any caller of the callee"},
    {HEADING(2, "exact", "bytes"), .spare = 1, .weighs = true,
     .meaning =
         "bytes allocated while the function, or this caller with this "
         "callee, was on the chain, and their share of all bytes; each "
         "allocation is counted once, however deep the recursion"},
    {HEADING(1, NULL, "%"), .spare = 1},
    {LEFT_HEADING(2, "name"),
     .meaning = "own line at the left; callers and callees are indented"},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };
enum { LEAST_REST = 2 }; /* small relations that share a line */

/* Blanks in front of names: relations stand further in than entries. */
static const char relation_indent[] = "    ";

/* The table being filled. */
struct drawing {
  const struct view *view;
  const struct figures *total; /* of the selection */
  struct graph_entries entries;
  struct text_table table;
  struct string_sink name; /* the one in hand */
};

/* A line but for its name.  Figures that make no sense for it are stars. */
struct line {
  const struct graph_entry *own; /* an entry's own line; NULL: another */
  bool member;                   /* one of a cycle's list of members */
  const struct figures *figures; /* from "self" on; NULL: stars */
  uint64_t fraction_of;        /* frac, but on own lines: a part of so much */
  uint64_t calls, more;        /* what is unknown stays blank */
  char mark;                   /* before MORE; '+' also stands for nothing */
  const struct figures *exact; /* the exact listing; NULL: stars */
};

static void
add_stars(struct text_table *table, size_t count)
{
  for (; count > 0; count--)
    text_table_cell(table, "*");
}

/* Returns the bytes of FIGURES, or the objects if these are counted. */
static uint64_t
weight_of(const struct drawing *drawing, const struct figures *figures)
{
  return figures->counts[view_weight(drawing->view)];
}

/* Adds the weight of FIGURES and its share, or stars. */
static void
add_bytes(struct drawing *drawing, const struct figures *figures)
{
  if (figures == NULL) {
    add_stars(&drawing->table, 2);
    return;
  }
  text_table_number(&drawing->table, weight_of(drawing, figures));
  text_table_share(&drawing->table, weight_of(drawing, figures),
                   weight_of(drawing, drawing->total));
}

/* Adds the cells from "self" up to the calls. */
static void
add_figures(struct drawing *drawing, const struct line *line)
{
  struct text_table *table = &drawing->table;
  const struct figures *figures = line->figures;
  bool kept = column_used(drawing->view, USE_KEPT) ||
              column_used(drawing->view, USE_LIVE);
  add_bytes(drawing, figures);
  if (figures == NULL) {
    add_stars(table, 2 * CATEGORY_COUNT + (kept ? 1 + CATEGORY_COUNT : 0));
    return;
  }
  add_category_cells(table, figures->by_category,
                     weight_of(drawing, figures));
  if (line->own == NULL)
    add_category_cells(table, figures->by_category, line->fraction_of);
  for (unsigned i = 0; line->own != NULL && i < CATEGORY_COUNT; i++)
    text_table_cell(table, "--");
  if (kept) {
    text_table_number(table, figures->kept_bytes);
    add_category_cells(table, figures->category_kept,
                       drawing->total->kept_bytes);
  }
}

/* Adds CALLS, or nothing when they are not known. */
static void
add_calls(struct text_table *table, uint64_t calls)
{
  if (calls == CALLS_UNKNOWN)
    text_table_skip(table, 1);
  else
    text_table_number(table, calls);
}

/* Adds all cells of LINE but the name, which comes next. */
static void
add_line(struct drawing *drawing, struct line line)
{
  struct text_table *table = &drawing->table;
  const struct graph_entry *own = line.own;
  const struct graph_node *nodes = drawing->view->graph.nodes;
  if (own != NULL) {
    text_table_lead(table);
    text_table_cell(table, "[%zu]", own->index);
  } else {
    text_table_skip(table, 1);
  }
  if (own != NULL && (own->cycle != NULL || nodes[own->node].cycle == 0))
    text_table_share(table, weight_of(drawing, own->inclusive),
                     weight_of(drawing, drawing->total));
  else
    text_table_cell(table, "%s", own != NULL || line.member ? "*" : "");
  add_figures(drawing, &line);
  if (column_used(drawing->view, USE_CALLS)) {
    add_calls(table, line.calls);
    if (line.mark == '\0' || line.more == CALLS_UNKNOWN ||
        (line.mark == '+' && line.more == 0))
      text_table_skip(table, 1);
    else
      text_table_cell(table, "%c%" PRIu64, line.mark, line.more);
  }
  add_bytes(drawing, line.exact);
}

/* Adds INDENT, the name, the index and the cycle of NODE. */
static void
add_name(struct drawing *drawing, const char *indent, uint32_t node)
{
  const struct graph_node *n = &drawing->view->graph.nodes[node];
  char cycle[32] = "";
  string_sink_clear(&drawing->name);
  if (drawing->view->profile->language == LANGUAGE_C)
    write_cxx_name(&drawing->name.sink, n->name);
  else
    sink_text(&drawing->name.sink, n->name);
  if (n->cycle != 0)
    snprintf(cycle, sizeof cycle, " <cycle %" PRIu32 ">", n->cycle);
  text_table_cell(&drawing->table, "%s%s [%zu]%s", indent,
                  string_sink_text(&drawing->name),
                  drawing->entries.index_of[node], cycle);
}

static void
add_own_line(struct drawing *drawing, const struct graph_entry *entry)
{
  add_line(drawing, (struct line){.own = entry,
                                  .figures = entry->self,
                                  .calls = entry->calls,
                                  .mark = '+',
                                  .more = entry->inner_calls,
                                  .exact = entry->inclusive});
}

/* Adds the line for SUM, which is called NAME, or so many more, if it is of
 * as many as LEAST.  Figures of relations INSIDE a cycle overlap: they cannot
 * be added up. */
static void
add_sum(struct drawing *drawing, const struct graph_sum *sum, size_t least,
        uint64_t fraction_of, bool inside, const char *name)
{
  const struct figures *figures = inside ? NULL : &sum->figures;
  if (sum->count < least)
    return;
  add_line(drawing, (struct line){.figures = figures,
                                  .fraction_of = fraction_of,
                                  .calls = sum->calls,
                                  .exact = figures});
  if (name != NULL)
    text_table_cell(&drawing->table, "%s%s", relation_indent, name);
  else
    text_table_cell(&drawing->table, "%s(%zu more%s)", relation_indent,
                    sum->count, inside ? " in the cycle" : "");
}

/* Adds the lines for small relations: one alone would save none. */
static void
add_rests(struct drawing *drawing, const struct graph_sum rests[2],
          uint64_t fraction_of)
{
  add_sum(drawing, &rests[false], LEAST_REST, fraction_of, false, NULL);
  add_sum(drawing, &rests[true], LEAST_REST, fraction_of, true, NULL);
}

static void
add_relation(struct drawing *drawing, const struct relation *relation,
             uint64_t fraction_of)
{
  add_line(
      drawing,
      (struct line){.figures = relation->inside ? NULL : &relation->figures,
                    .fraction_of = fraction_of,
                    .calls = relation->calls,
                    .mark = '/',
                    .more = relation->all_calls,
                    .exact = &relation->figures});
  add_name(drawing, relation_indent, relation->node);
}

/* Adds the relations of ENTRY, the heaviest next to it; farther away the
 * small ones, chains without a caller, and the sum of all outside. */
static void
add_relations(struct drawing *drawing, const struct graph_entry *entry,
              bool callers)
{
  struct graph_entries *entries = &drawing->entries;
  graph_entry_relate(entries, entry, callers);
  size_t count = entries->relation_count;
  uint64_t whole = weight_of(drawing, &entries->all.figures);
  if (callers) {
    add_sum(drawing, &entries->all, 2, whole, false, "all");
    add_sum(drawing, &entries->root, 1, whole, false, "<root>");
    add_rests(drawing, entries->rests, whole);
  }
  for (size_t i = 0; i < count; i++) {
    const struct relation *relation =
        &entries->relations[callers ? count - 1 - i : i];
    if (!relation->small ||
        entries->rests[relation->inside].count < LEAST_REST)
      add_relation(drawing, relation, whole);
  }
  if (!callers) {
    add_rests(drawing, entries->rests, whole);
    add_sum(drawing, &entries->all, 2, whole, false, "all");
  }
}

/* Adds the list of the members of the cycle ENTRY. */
static void
add_members(struct drawing *drawing, const struct graph_entry *entry)
{
  const struct view *view = drawing->view;
  const struct cycle *cycle = entry->cycle;
  struct line line = {.member = true,
                      .fraction_of = weight_of(drawing, &cycle->self),
                      .mark = '+'};
  struct graph_sum rest = {0};
  for (size_t i = 0; i < cycle->member_count; i++) {
    uint32_t member = view->cycles.members[cycle->first_member + i];
    struct graph_entry one = graph_entry_of(&drawing->entries, member);
    if (!share_reached(weight_of(drawing, one.inclusive),
                       weight_of(drawing, drawing->total),
                       view->options->min_share)) {
      graph_sum_add(&rest, one.self, one.calls);
      continue;
    }
    line.figures = one.self;
    line.calls = one.calls;
    line.more = one.inner_calls;
    line.exact = one.inclusive;
    add_line(drawing, line);
    add_name(drawing, relation_indent, member);
  }
  if (rest.count == 0)
    return;
  line.figures = &rest.figures;
  line.calls = rest.calls;
  line.more = 0;
  line.exact = NULL;
  add_line(drawing, line);
  text_table_cell(&drawing->table, "%s(%zu more)", relation_indent,
                  rest.count);
}

static void
add_entry(struct drawing *drawing, size_t item)
{
  struct graph_entry entry = graph_entry_of(&drawing->entries, item);
  size_t cycle = item - drawing->view->graph.node_count + 1;
  add_relations(drawing, &entry, true);
  add_own_line(drawing, &entry);
  if (entry.cycle == NULL)
    add_name(drawing, "", entry.node);
  else
    text_table_cell(&drawing->table, "<cycle %zu> as one function [%zu]",
                    cycle, entry.index);
  add_relations(drawing, &entry, false);
  if (entry.cycle != NULL) {
    text_table_rule(&drawing->table);
    add_own_line(drawing, &entry);
    text_table_cell(&drawing->table, "members of <cycle %zu>", cycle);
    add_members(drawing, &entry);
  }
}

void
report_graph_legend(const struct view *view, struct sink *sink)
{
  report_legend_text(
      view, sink,
      "Each entry shows a function (the line with an index at the left), its "
      "callers above it and its callees below it, the heaviest nearest to "
      "it.  To follow a caller or a callee, look for its index at the left.");
  text_columns_explain(view, columns, COLUMN_COUNT, sink);
  report_legend(view, sink, "all", "sum of the callers, or of the callees");
  report_legend(view, sink, "<root>", "no caller is shown");
  report_legend(view, sink, "(N more)",
                "callers or callees with a small share of this entry");
  if (view == NULL || view->cycles.count > 0) {
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
  string_sink_init(&drawing.name);
  text_columns_begin(&drawing.table, view, columns, COLUMN_COUNT);
  graph_entries_init(&drawing.entries, view);
  const struct ranking *ranking = &drawing.entries.ranking;
  for (size_t i = 0; i < ranking->shown; i++) {
    if (i > 0)
      text_table_rule(&drawing.table);
    add_entry(&drawing, ranking->rows[i].item);
  }
  report_heading(sink, held ? "HOLDERS" : "ALLOCATION CALL GRAPH");
  text_table_print(&drawing.table, sink);
  ranking_note(ranking, view, "entries", held ? "objects" : "allocations",
               sink);
  (held ? report_holders_legend : report_graph_legend)(view, sink);
}
