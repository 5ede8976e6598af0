/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who calls whom: arcs of the call graph, and its cycles. */

#include "tables/table.h"

enum arc_id { CALLER, CALLEE, ARC_CALLS };
enum cycle_id { MEMBERS, OUTSIDE_CALLS, INSIDE_CALLS };

static const struct column arc_columns[] = {
    {OWN(CALLER), .keys = KEY("caller")},
    {OWN(CALLEE), .keys = KEY("callee")},
    {OWN(ARC_CALLS), .keys = KEY("calls")},
    ALL_COUNTS,
    ALL_MORE,
};

static const struct column cycle_columns[] = {
    {OWN(MEMBERS), .keys = KEY("functions")},
    COUNTS(OF_ROW, "self_"),
    COUNTS(OF_INCLUSIVE, "inclusive_"),
    {OWN(OUTSIDE_CALLS), .keys = KEY("calls")},
    {OWN(INSIDE_CALLS), .keys = KEY("inside_calls")},
};

static bool
arc_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->arc_count)
    return false;
  const struct graph_arc *arc = &graph->arcs[item];
  row->figures = &arc->inclusive;
  row->rank = arc->caller;
  row->name = graph->nodes[arc->callee].name;
  return true;
}

static struct cell
arc_cell(const struct listing *listing, const struct ranking_row *row, int id)
{
  const struct graph_arc *arc = &listing->view->graph.arcs[row->item];
  return id == ARC_CALLS
             ? cell_calls(arc->calls)
             : cell_reference(TO_FUNCTIONS,
                              id == CALLER ? arc->caller : arc->callee);
}

static bool
cycle_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->cycle_count)
    return false;
  row->figures = &graph->nodes[graph->node_count + item].self;
  row->inclusive = &graph->nodes[graph->node_count + item].inclusive;
  return true;
}

static struct cell
cycle_cell(const struct listing *listing, const struct ranking_row *row,
           int id)
{
  const struct call_graph *graph = &listing->view->graph;
  const struct graph_node *cycle =
      &graph->nodes[graph->node_count + row->item];
  if (id == MEMBERS)
    return (struct cell){.kind = CELL_LIST,
                         .to = TO_FUNCTIONS,
                         .items = graph->members + cycle->first_member,
                         .number = cycle->member_count};
  return cell_calls(id == OUTSIDE_CALLS ? cycle->calls : cycle->inner_calls);
}

const struct table arcs_table = {
    .keeps_empty = true,
    COLUMNS(arc_columns),
    .row = arc_row,
    .cell = arc_cell,
};

const struct table cycles_table = {
    .in_place = true,
    .keeps_empty = true,
    COLUMNS(cycle_columns),
    .row = cycle_row,
    .cell = cycle_cell,
};
