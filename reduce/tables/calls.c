/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who calls whom: arcs of the call graph, and its cycles. */

#include "tables/table.h"

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
    .keeps_empty = true,
    COLUMNS(arc_columns),
    .row = arc_row,
};

const struct table cycles_table = {
    .in_place = true,
    .keeps_empty = true,
    COLUMNS(cycle_columns),
    .row = cycle_row,
    .cell = cycle_cell,
};
