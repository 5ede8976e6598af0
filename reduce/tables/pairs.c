/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FUNCTIONS OF EACH TYPE and TYPES OF EACH FUNCTION: who allocates how much
 * of what.  Both group the pairs of function and type of the call graph.
 * What a function allocated is what it allocated itself, as in DIRECT
 * ALLOCATION; the members of a group add up to the group's.
 */

#include "base/array.h"
#include "tables/table.h"

#include <stdlib.h>

#define PAIR_COLUMNS(allocs, heading, name)                                  \
  ALLOCS_COLUMN(0, allocs),                                                  \
      BYTES_COLUMN("likewise their bytes with their bodies"),                \
  {                                                                          \
    .content = CONTENT_NAME, LEFT_HEADING(2, heading), .meaning = name       \
  }

static const struct column type_columns[] = {PAIR_COLUMNS(
    "first line: objects of this type, and their share of all objects; "
    "below: those that the function itself allocated, and the share of this "
    "type's",
    "type/class",
    "first line: the class of instances and structures, else the type; "
    "below: the function; \"(N more)\": functions with a small share of this "
    "type")};

static const struct column function_columns[] = {PAIR_COLUMNS(
    "first line: objects that the function itself allocated, and their share "
    "of all objects; below: those of this type, and the share of this "
    "function's",
    "function",
    "first line: the function; below: the class or the type; \"(N more)\": "
    "types with a small share of this function's")};

struct pairs {
  bool by_type;
  size_t group_count;
  size_t *order;           /* of the graph's self_types, by group */
  size_t *first;           /* of a group, in order; one more at the end */
  struct figures *figures; /* of a group */
  struct figures *members; /* of a pair */
};

static size_t
group_of(const struct pairs *pairs, const struct graph_self_type *pair)
{
  return pairs->by_type ? pair->type : pair->node;
}

/* The name of a type, or of a function. */
static const char *
name_of(const struct view *view, bool type, size_t index)
{
  const struct profile *profile = view->reduction->profile;
  return type ? tally_type_name(profile, &profile->types[index])
              : view->reduction->graph.nodes[index].name;
}

/* Puts the pairs in order of their groups by counting: linear. */
static bool
collect(struct pairs *pairs, const struct call_graph *graph)
{
  size_t count = graph->self_type_count;
  pairs->order = array_zeroed(count, sizeof *pairs->order);
  pairs->first = array_zeroed(pairs->group_count + 2, sizeof *pairs->first);
  pairs->figures = array_zeroed(pairs->group_count, sizeof *pairs->figures);
  pairs->members = array_zeroed(count, sizeof *pairs->members);
  if (pairs->order == NULL || pairs->first == NULL ||
      pairs->figures == NULL || pairs->members == NULL)
    return false;
  /* first[g + 2] counts, then first[g + 1] is where group g goes on. */
  for (size_t i = 0; i < count; i++) {
    const struct graph_self_type *pair = &graph->self_types[i];
    size_t group = group_of(pairs, pair);
    pairs->first[group + 2]++;
    pairs->members[i].allocs = pair->allocs;
    pairs->members[i].bytes = pair->bytes;
    figures_add(&pairs->figures[group], &pairs->members[i]);
  }
  for (size_t i = 2; i < pairs->group_count + 2; i++)
    pairs->first[i] += pairs->first[i - 1];
  for (size_t i = 0; i < count; i++)
    pairs->order[pairs->first[group_of(pairs, &graph->self_types[i]) + 1]++] =
        i;
  return true;
}

static bool
init(struct view *view, bool by_type)
{
  const struct reduction *reduction = view->reduction;
  struct pairs *pairs = view->context;
  pairs->by_type = by_type;
  pairs->group_count = by_type ? reduction->profile->type_count
                               : reduction->graph.node_count;
  return collect(pairs, &reduction->graph);
}

static bool
init_by_type(struct view *view)
{
  return init(view, true);
}

static bool
init_by_function(struct view *view)
{
  return init(view, false);
}

static void
release(void *context)
{
  struct pairs *pairs = context;
  free(pairs->order);
  free(pairs->first);
  free(pairs->figures);
  free(pairs->members);
}

static size_t
count(const struct view *view)
{
  return ((const struct pairs *)view->context)->group_count;
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct pairs *pairs = view->context;
  row->figures = &pairs->figures[item];
  row->name = name_of(view, pairs->by_type, item);
  row->rank =
      pairs->by_type ? view->reduction->profile->types[item].category : 0;
  return true;
}

static bool
members(const struct view *view, const struct ranking_row *row,
        struct ranking *ranking)
{
  const struct pairs *pairs = view->context;
  for (size_t i = pairs->first[row->item]; i < pairs->first[row->item + 1];
       i++) {
    size_t place = pairs->order[i];
    const struct graph_self_type *pair =
        &view->reduction->graph.self_types[place];
    struct ranking_row member = {
        .figures = &pairs->members[place],
        .name = name_of(view, !pairs->by_type,
                        pairs->by_type ? pair->node : pair->type),
        .item = place};
    if (!ranking_add(ranking, member))
      return false;
  }
  return true;
}

const struct table type_functions_table = {
    .title = "FUNCTIONS OF EACH TYPE",
    .rows = "types",
    COLUMNS(type_columns),
    .count = count,
    .row = row,
    .members = members,
    .context_bytes = sizeof(struct pairs),
    .init = init_by_type,
    .release = release,
};

const struct table function_types_table = {
    .title = "TYPES OF EACH FUNCTION",
    COLUMNS(function_columns),
    .count = count,
    .row = row,
    .members = members,
    .context_bytes = sizeof(struct pairs),
    .init = init_by_function,
    .release = release,
};
