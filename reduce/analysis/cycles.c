/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tarjan's algorithm ("Depth-first search and linear graph algorithms",
 * 1972) with the recursion written out: each entry of the visit stack is a
 * node and how many of its arcs were looked at.  Nodes whose component is
 * open lie on a second stack; when a node turns out to be the first of its
 * component, the nodes above it there are the component.
 */

#include "analysis/cycles.h"

#include "base/array.h"

#include <string.h>

enum { NOT_SEEN = 0 };

struct visit {
  uint32_t node;
  size_t next_arc; /* counted from the node's first */
};

struct search {
  struct call_graph *graph;
  struct cycles *cycles;
  size_t *number;      /* by node: order of discovery from 1, or NOT_SEEN */
  size_t *low;         /* the least number reachable within the open nodes */
  bool *open;          /* whether the node lies on the component stack */
  uint32_t *component; /* stack of open nodes */
  size_t component_height;
  struct visit *visits;
  size_t visit_height;
  size_t discovered;
  size_t member_count;
  size_t cycle_capacity;
};

static void
discover(struct search *search, uint32_t node)
{
  search->number[node] = search->low[node] = ++search->discovered;
  search->open[node] = true;
  search->component[search->component_height++] = node;
  search->visits[search->visit_height++] = (struct visit){node, 0};
}

/* Takes the component of FIRST off the stack; notes it when it is a cycle.
 * False when memory runs out. */
static bool
close_component(struct search *search, uint32_t first)
{
  struct cycles *cycles = search->cycles;
  size_t start = search->component_height;
  do {
    search->open[search->component[--start]] = false;
  } while (search->component[start] != first);
  size_t size = search->component_height - start;
  search->component_height = start;
  if (size == 1)
    return true;
  struct cycle *items = array_reserve(cycles->items, &search->cycle_capacity,
                                      cycles->count + 1, sizeof *items);
  if (items == NULL)
    return false;
  cycles->items = items;
  items[cycles->count++] = (struct cycle){
      .first_member = search->member_count,
      .member_count = size,
      .depth = SIZE_MAX,
  };
  memcpy(cycles->members + search->member_count, search->component + start,
         size * sizeof *cycles->members);
  search->member_count += size;
  return true;
}

static bool
search_from(struct search *search, uint32_t start)
{
  const struct call_graph *graph = search->graph;
  discover(search, start);
  while (search->visit_height > 0) {
    struct visit *visit = &search->visits[search->visit_height - 1];
    uint32_t node = visit->node;
    const struct graph_node *n = &graph->nodes[node];
    if (visit->next_arc < n->arc_count) {
      uint32_t callee = graph->arcs[n->first_arc + visit->next_arc++].callee;
      if (search->number[callee] == NOT_SEEN)
        discover(search, callee);
      else if (search->open[callee] &&
               search->number[callee] < search->low[node])
        search->low[node] = search->number[callee];
      continue;
    }
    if (search->low[node] == search->number[node] &&
        !close_component(search, node))
      return false;
    if (--search->visit_height > 0) {
      uint32_t parent = search->visits[search->visit_height - 1].node;
      if (search->open[node] && search->low[node] < search->low[parent])
        search->low[parent] = search->low[node];
    }
  }
  return true;
}

/* Adds up what crosses the borders of cycle CYCLE, whose members carry the
 * number NUMBER. */
static void
sum_cycle(const struct call_graph *graph, struct cycle *cycle,
          const uint32_t *members, uint32_t number)
{
  for (size_t i = 0; i < cycle->member_count; i++) {
    const struct graph_node *member = &graph->nodes[members[i]];
    figures_add(&cycle->self, &member->self);
    figures_add(&cycle->root, &member->root);
    figures_add(&cycle->inclusive, &member->root);
    cycle->outside_calls =
        calls_add(cycle->outside_calls, member->root_calls);
    cycle->root_calls = calls_add(cycle->root_calls, member->root_calls);
    if (member->depth < cycle->depth)
      cycle->depth = member->depth;
    for (size_t j = 0; j < member->in_arc_count; j++) {
      const struct graph_arc *arc =
          &graph->arcs[graph->in_arcs[member->first_in_arc + j]];
      if (graph->nodes[arc->caller].cycle == number) {
        cycle->inside_calls = calls_add(cycle->inside_calls, arc->calls);
      } else {
        cycle->outside_calls = calls_add(cycle->outside_calls, arc->calls);
        figures_add(&cycle->inclusive, &arc->inclusive);
      }
    }
  }
}

struct member_row {
  const struct graph_node *node;
  uint32_t index;
};

/* By self bytes, descending, then by name. */
static int
compare_members(const void *left, const void *right)
{
  const struct graph_node *a = ((const struct member_row *)left)->node;
  const struct graph_node *b = ((const struct member_row *)right)->node;
  if (a->self.bytes != b->self.bytes)
    return a->self.bytes > b->self.bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

struct cycle_row {
  struct cycle cycle;
  const char *name; /* the least of the members' */
};

/* By inclusive bytes, descending, then by name. */
static int
compare_cycles(const void *left, const void *right)
{
  const struct cycle_row *a = left;
  const struct cycle_row *b = right;
  if (a->cycle.inclusive.bytes != b->cycle.inclusive.bytes)
    return a->cycle.inclusive.bytes > b->cycle.inclusive.bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

static void
number_members(struct call_graph *graph, const struct cycles *cycles)
{
  for (size_t i = 0; i < cycles->count; i++) {
    const struct cycle *cycle = &cycles->items[i];
    for (size_t j = 0; j < cycle->member_count; j++)
      graph->nodes[cycles->members[cycle->first_member + j]].cycle =
          (uint32_t)(i + 1);
  }
}

/* Puts cycles and members in order; false when memory runs out. */
static bool
order_cycles(struct call_graph *graph, struct cycles *cycles,
             size_t member_count)
{
  struct cycle_row *rows = array_zeroed(cycles->count, sizeof *rows);
  struct member_row *members = array_zeroed(member_count, sizeof *members);
  bool good = rows != NULL && members != NULL;
  for (size_t i = 0; good && i < cycles->count; i++) {
    struct cycle *cycle = &cycles->items[i];
    uint32_t *own = cycles->members + cycle->first_member;
    sum_cycle(graph, cycle, own, (uint32_t)(i + 1));
    rows[i] = (struct cycle_row){*cycle, graph->nodes[own[0]].name};
    for (size_t j = 0; j < cycle->member_count; j++) {
      members[j] = (struct member_row){&graph->nodes[own[j]], own[j]};
      if (strcmp(members[j].node->name, rows[i].name) < 0)
        rows[i].name = members[j].node->name;
    }
    array_sort(members, cycle->member_count, sizeof *members,
               compare_members);
    for (size_t j = 0; j < cycle->member_count; j++)
      own[j] = members[j].index;
  }
  if (good) {
    array_sort(rows, cycles->count, sizeof *rows, compare_cycles);
    for (size_t i = 0; i < cycles->count; i++)
      cycles->items[i] = rows[i].cycle;
  }
  free(rows);
  free(members);
  return good;
}

bool
cycles_init(struct cycles *cycles, struct call_graph *graph,
            struct mprof_error *error)
{
  memset(cycles, 0, sizeof *cycles);
  size_t count = graph->node_count;
  struct search search = {
      .graph = graph,
      .cycles = cycles,
      .number = array_zeroed(count, sizeof *search.number),
      .low = array_zeroed(count, sizeof *search.low),
      .open = array_zeroed(count, sizeof *search.open),
      .component = array_zeroed(count, sizeof *search.component),
      .visits = array_zeroed(count, sizeof *search.visits),
  };
  cycles->members = array_zeroed(count, sizeof *cycles->members);
  bool good = search.number != NULL && search.low != NULL &&
              search.open != NULL && search.component != NULL &&
              search.visits != NULL && cycles->members != NULL;
  for (size_t i = 0; good && i < count; i++)
    if (search.number[i] == NOT_SEEN)
      good = search_from(&search, (uint32_t)i);
  if (good) {
    number_members(graph, cycles);
    good = order_cycles(graph, cycles, search.member_count);
    number_members(graph, cycles);
  }
  free(search.number);
  free(search.low);
  free(search.open);
  free(search.component);
  free(search.visits);
  return good || mprof_error_memory(error);
}

void
cycles_release(struct cycles *cycles)
{
  free(cycles->items);
  free(cycles->members);
  memset(cycles, 0, sizeof *cycles);
}
