/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FUNCTIONS OF EACH TYPE and TYPES OF EACH FUNCTION: who allocates how much
 * of what.  Both group the pairs of function and type of the call graph: a
 * line for the group, then a line for each pair in it, a rule between groups.
 * What a function allocated is what it allocated itself, as in DIRECT
 * ALLOCATION; the lines of a group add up to the group's.
 *
 * Groups are ranked and left out like the rows of other tables.  Within a
 * group no more than FEW lines show, those that have the smallest share of
 * the group that options ask for; one more stands for the rest.  Without a
 * smallest share (-verbose) all show.
 */

#include "analysis/grouping.h"
#include "base/array.h"
#include "report/columns.h"
#include "report/ranking.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

enum { FEW = 5 };

static const char member_indent[] = "  ";

#define PAIR_COLUMNS(allocs, heading, name)                                  \
  {                                                                          \
    {{NULL, 0, "allocs", 0, false}, .term = "allocs %", .meaning = allocs},  \
        SHARE_COLUMN,                                                        \
        {{NULL, 0, "bytes", 2, false},                                       \
         .term = "bytes %",                                                  \
         .meaning = "likewise their bytes with their bodies"},               \
        SHARE_COLUMN,                                                        \
    {                                                                        \
      {NULL, 0, heading, 2, true}, .term = heading, .meaning = name          \
    }                                                                        \
  }

static const struct report_column type_columns[] = PAIR_COLUMNS(
    "first line: objects of this type, and their share of all objects; "
    "below: "
    "those that the function itself allocated, and the share of this type's",
    "type/class",
    "first line: the class of instances and structures, else the type; "
    "below: "
    "the function; \"(N more)\": functions with a small share of this type");

static const struct report_column function_columns[] = PAIR_COLUMNS(
    "first line: objects that the function itself allocated, and their share "
    "of all objects; below: those of this type, and the share of this "
    "function's",
    "function",
    "first line: the function; below: the class or the type; \"(N more)\": "
    "types with a small share of this function's");

enum { COLUMN_COUNT = sizeof type_columns / sizeof type_columns[0] };

/* A table that is being made: which way round the pairs are grouped. */
struct grouping {
  const struct reduction *reduction;
  bool by_type;
  size_t group_count;
  size_t *order;           /* of the graph's self_types, by group */
  size_t *first;           /* of a group, in order; one more at the end */
  struct figures *figures; /* of a group */
  struct text_table table;
};

static size_t
group_of(const struct grouping *grouping, const struct graph_self_type *pair)
{
  return grouping->by_type ? pair->type : pair->node;
}

static const char *
type_name(const struct grouping *grouping, size_t type)
{
  const struct profile *profile = grouping->reduction->profile;
  return tally_type_name(profile, &profile->types[type]);
}

static const char *
node_name(const struct grouping *grouping, size_t node)
{
  return grouping->reduction->graph.nodes[node].name;
}

/* Puts the pairs in order of their groups by counting: linear. */
static bool
collect_groups(struct grouping *grouping)
{
  const struct call_graph *graph = &grouping->reduction->graph;
  size_t count = graph->self_type_count;
  grouping->group_count = grouping->by_type
                              ? grouping->reduction->profile->type_count
                              : graph->node_count;
  grouping->order = array_zeroed(count, sizeof *grouping->order);
  grouping->first =
      array_zeroed(grouping->group_count + 2, sizeof *grouping->first);
  grouping->figures =
      array_zeroed(grouping->group_count, sizeof *grouping->figures);
  if (grouping->order == NULL || grouping->first == NULL ||
      grouping->figures == NULL)
    return false;
  /* first[g + 2] counts, then first[g + 1] is where group g goes on. */
  for (size_t i = 0; i < count; i++) {
    const struct graph_self_type *pair = &graph->self_types[i];
    size_t group = group_of(grouping, pair);
    grouping->first[group + 2]++;
    grouping->figures[group].allocs += pair->allocs;
    grouping->figures[group].bytes += pair->bytes;
  }
  for (size_t i = 2; i < grouping->group_count + 2; i++)
    grouping->first[i] += grouping->first[i - 1];
  for (size_t i = 0; i < count; i++)
    grouping->order
        [grouping->first[group_of(grouping, &graph->self_types[i]) + 1]++] =
        i;
  return true;
}

static bool
rank_groups(const struct grouping *grouping, struct ranking *ranking)
{
  const struct reduction *reduction = grouping->reduction;
  for (size_t i = 0; i < grouping->group_count; i++) {
    const struct figures *figures = &grouping->figures[i];
    if (figures->bytes == 0 && figures->allocs == 0)
      continue;
    if (!ranking_add(ranking,
                     (struct ranking_row){
                         .bytes = figures->bytes,
                         .allocs = figures->allocs,
                         .rank = grouping->by_type
                                     ? reduction->profile->types[i].category
                                     : 0,
                         .name = grouping->by_type
                                     ? type_name(grouping, i)
                                     : node_name(grouping, i),
                         .item = i}))
      return false;
  }
  ranking_arrange(ranking, &reduction->selection.total, reduction->options);
  return true;
}

static bool
rank_members(const struct grouping *grouping, size_t group,
             struct ranking *ranking)
{
  const struct call_graph *graph = &grouping->reduction->graph;
  struct options options = *grouping->reduction->options;
  for (size_t i = grouping->first[group]; i < grouping->first[group + 1];
       i++) {
    const struct graph_self_type *pair =
        &graph->self_types[grouping->order[i]];
    if (!ranking_add(ranking,
                     (struct ranking_row){
                         .bytes = pair->bytes,
                         .allocs = pair->allocs,
                         .name = grouping->by_type
                                     ? node_name(grouping, pair->node)
                                     : type_name(grouping, pair->type),
                         .item = grouping->order[i]}))
      return false;
  }
  if (options.min_share > 0 && options.limit > FEW)
    options.limit = FEW;
  ranking_arrange(ranking, &grouping->figures[group], &options);
  return true;
}

static bool
add_group(struct grouping *grouping, size_t group)
{
  struct text_table *table = &grouping->table;
  const struct figures *figures = &grouping->figures[group];
  struct ranking members;
  ranking_init(&members);
  bool good = rank_members(grouping, group, &members);
  text_table_lead(table);
  add_share_cells(grouping->reduction, table, figures,
                  &grouping->reduction->selection.total);
  text_table_name(table, grouping->by_type ? type_name(grouping, group)
                                           : node_name(grouping, group));
  for (size_t i = 0; good && i < members.shown; i++) {
    const struct ranking_row *row = &members.rows[i];
    struct figures part = {.allocs = row->allocs, .bytes = row->bytes};
    add_share_cells(grouping->reduction, table, &part, figures);
    text_table_indented_name(table, member_indent, row->name);
  }
  if (good && members.shown < members.count) {
    struct figures rest = {.allocs = members.left_out_allocs,
                           .bytes = members.left_out_bytes};
    add_share_cells(grouping->reduction, table, &rest, figures);
    text_table_cell(table, "%s(%zu more)", member_indent,
                    members.count - members.shown);
  }
  ranking_release(&members);
  return good;
}

static void
report_pairs(const struct reduction *reduction, bool by_type,
             struct sink *sink)
{
  const struct report_column *columns =
      by_type ? type_columns : function_columns;
  struct grouping grouping = {.reduction = reduction, .by_type = by_type};
  struct report_columns chosen;
  struct ranking ranking;
  ranking_init(&ranking);
  report_columns_choose(&chosen, reduction, columns, COLUMN_COUNT);
  text_table_init(&grouping.table, chosen.items, chosen.count);
  bool good = collect_groups(&grouping) && rank_groups(&grouping, &ranking);
  for (size_t i = 0; good && i < ranking.shown; i++) {
    if (i > 0)
      text_table_rule(&grouping.table);
    good = add_group(&grouping, ranking.rows[i].item);
  }
  if (!good)
    sink_fail(sink, ENOMEM);
  report_heading(sink, by_type ? "FUNCTIONS OF EACH TYPE"
                               : "TYPES OF EACH FUNCTION");
  text_table_print(&grouping.table, sink);
  ranking_note(&ranking, reduction->options,
               by_type ? "types"
                       : granularity_noun(reduction->options->by, true),
               "allocations", true, sink);
  report_columns_explain(reduction, columns, COLUMN_COUNT, sink);
  text_table_release(&grouping.table);
  ranking_release(&ranking);
  free(grouping.order);
  free(grouping.first);
  free(grouping.figures);
}

void
report_functions_of_types(const struct reduction *reduction,
                          struct sink *sink)
{
  report_pairs(reduction, true, sink);
}

void
report_types_of_functions(const struct reduction *reduction,
                          struct sink *sink)
{
  report_pairs(reduction, false, sink);
}
