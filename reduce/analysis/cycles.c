/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kosaraju's algorithm.  A first search, along the arcs, notes in which order
 * it leaves the nodes.  From the last one on, whatever a search against the
 * arcs reaches that is of no component yet is a component.
 */

#include "analysis/call_graph.h"

#include "base/array.h"

#include <string.h>

struct visit {
  uint32_t node;
  size_t next_arc; /* counted from the node's first */
};

struct search {
  struct call_graph *graph;
  size_t member_count;
  bool *seen;           /* by node; of no component yet */
  struct visit *visits; /* the way to the node in hand */
  uint32_t *order;      /* nodes as they were left */
  size_t order_count;
};

static void
search_from(struct search *search, uint32_t start)
{
  const struct call_graph *graph = search->graph;
  size_t height = 0;
  search->visits[height++] = (struct visit){start, 0};
  search->seen[start] = true;
  while (height > 0) {
    struct visit *visit = &search->visits[height - 1];
    const struct graph_node *node = &graph->nodes[visit->node];
    if (visit->next_arc == node->arc_count) {
      search->order[search->order_count++] = visit->node;
      height--;
      continue;
    }
    uint32_t callee = graph->arcs[node->first_arc + visit->next_arc++].callee;
    if (!search->seen[callee]) {
      search->seen[callee] = true;
      search->visits[height++] = (struct visit){callee, 0};
    }
  }
}

/* Takes the component of FIRST; notes it when it is a cycle. */
static void
take_component(struct search *search, uint32_t first)
{
  struct call_graph *graph = search->graph;
  uint32_t *members = graph->members + search->member_count;
  size_t count = 0;
  members[count++] = first;
  search->seen[first] = false;
  for (size_t i = 0; i < count; i++) {
    const struct graph_node *node = &graph->nodes[members[i]];
    for (size_t j = 0; j < node->in_arc_count; j++) {
      size_t arc = graph->in_arcs[node->first_in_arc + j];
      uint32_t caller = graph->arcs[arc].caller;
      if (search->seen[caller])
        members[count++] = caller;
      search->seen[caller] = false;
    }
  }
  if (count == 1)
    return;
  const size_t node = graph->node_count + graph->cycle_count++;
  ARRAY_ROOM(graph->nodes, graph->capacity, node + 1);
  graph->nodes[node] =
      (struct graph_node){.function = INDEX_NONE,
                          .first_member = search->member_count,
                          .member_count = count,
                          .depth = SIZE_MAX};
  search->member_count += count;
}

/* Gives the members of each cycle its number. */
static void
number_members(struct call_graph *graph)
{
  for (size_t i = 0; i < graph->cycle_count; i++) {
    const struct graph_node *cycle = &graph->nodes[graph->node_count + i];
    for (size_t j = 0; j < cycle->member_count; j++)
      graph->nodes[graph->members[cycle->first_member + j]].cycle =
          (uint32_t)(i + 1);
  }
}

/* Adds up what crosses the borders of CYCLE. */
static void
sum_cycle(const struct call_graph *graph, struct graph_node *cycle)
{
  for (size_t i = 0; i < cycle->member_count; i++) {
    const struct graph_node *member =
        &graph->nodes[graph->members[cycle->first_member + i]];
    figures_add(&cycle->self, &member->self);
    figures_add(&cycle->root, &member->root);
    figures_add(&cycle->inclusive, &member->root);
    cycle->calls = calls_add(cycle->calls, member->root_calls);
    cycle->root_calls = calls_add(cycle->root_calls, member->root_calls);
    if (member->depth < cycle->depth)
      cycle->depth = member->depth;
    if (cycle->name == NULL || strcmp(member->name, cycle->name) < 0)
      cycle->name = member->name;
    for (size_t j = 0; j < member->in_arc_count; j++) {
      const struct graph_arc *arc =
          &graph->arcs[graph->in_arcs[member->first_in_arc + j]];
      if (graph->nodes[arc->caller].cycle == member->cycle) {
        cycle->inner_calls = calls_add(cycle->inner_calls, arc->calls);
      } else {
        cycle->calls = calls_add(cycle->calls, arc->calls);
        figures_add(&cycle->inclusive, &arc->inclusive);
      }
    }
  }
}

/* Orders nodes by bytes, descending, then by name. */
static int
compare_members(const void *left, const void *right, void *graph)
{
  const struct graph_node *nodes = ((struct call_graph *)graph)->nodes;
  const struct graph_node *a = &nodes[*(const uint32_t *)left];
  const struct graph_node *b = &nodes[*(const uint32_t *)right];
  return array_order(b->self.bytes, a->self.bytes)
             ?: strcmp(a->name, b->name);
}

static int
compare_cycles(const void *left, const void *right)
{
  const struct graph_node *a = left, *b = right;
  return array_order(b->inclusive.bytes, a->inclusive.bytes)
             ?: strcmp(a->name, b->name);
}

void
call_graph_find_cycles(struct call_graph *graph)
{
  size_t count = graph->node_count;
  struct search search = {
      .graph = graph,
      .seen = pool_zeroed(count, sizeof *search.seen),
      .visits = pool_zeroed(count, sizeof *search.visits),
      .order = pool_zeroed(count, sizeof *search.order),
  };
  graph->members = pool_zeroed(count, sizeof *graph->members);
  for (uint32_t i = 0; i < count; i++)
    if (!search.seen[i])
      search_from(&search, i);
  for (size_t i = count; i-- > 0;)
    if (search.seen[search.order[i]])
      take_component(&search, search.order[i]);
  number_members(graph);
  struct graph_node *cycles = graph->nodes + count;
  for (size_t i = 0; i < graph->cycle_count; i++) {
    sum_cycle(graph, &cycles[i]);
    qsort_r(graph->members + cycles[i].first_member, cycles[i].member_count,
            sizeof *graph->members, compare_members, graph);
  }
  array_sort(cycles, graph->cycle_count, sizeof *cycles, compare_cycles);
  number_members(graph);
}
