/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TYPES: what kinds of object were allocated.  FUNCTIONS OF EACH TYPE and
 * TYPES OF EACH FUNCTION: who allocates how much of what.
 *
 * The latter two group the pairs of function and type of the call graph.
 * What a function allocated is what it allocated itself, as in DIRECT
 * ALLOCATION; the members of a group add up to the group's.
 */

#include "base/array.h"
#include "tables/table.h"

enum id { CATEGORY, TYPE, CLASS };

static const struct column columns[] = {
    ALLOCS_COLUMN(0, "objects of this type, and their share of all objects"),
    BYTES_COLUMN("bytes of these objects with their bodies, and their share "
                 "of all bytes"),
    {AVERAGE(ALLOCS), HEADING(2, "bytes", "/alloc"), .use = USE_AVERAGES,
     .meaning = "average bytes per object, rounded"},
    LIVE_COLUMNS("of this type"),
    {OWN(CATEGORY), .keys = KEY("category"), .first = true,
     LEFT_HEADING(2, "category"),
     .meaning = "the category of the type in the other tables"},
    {OWN(TYPE), .keys = KEY("type"), .first = true, LEFT_HEADING(2, "type"),
     .total = "<TOTAL>",
     .meaning = "the Lisp type, or the program's name for the type"},
    {OWN(CLASS), .keys = KEY("class"), .first = true,
     LEFT_HEADING(2, "class"),
     .meaning = "the class, for instances and structures"},
    ALL_COUNTS,
    ALL_MORE,
};

#define PAIR_COLUMNS(allocs, heading, name)                                  \
  ALLOCS_COLUMN(0, allocs),                                                  \
      BYTES_COLUMN("likewise, bytes of these objects with their bodies"),    \
  {                                                                          \
    .content = CONTENT_NAME, LEFT_HEADING(2, heading), .meaning = name       \
  }

static const struct column type_columns[] = {PAIR_COLUMNS(
    "first line: objects of this type, and their share of all objects; "
    "below: those that the function itself allocated, and their share of the "
    "type's objects",
    "type/class",
    "first line: the class of instances and structures, else the type; "
    "below: the function; \"(N more)\": functions with a small share of the "
    "type")};

static const struct column function_columns[] = {PAIR_COLUMNS(
    "first line: objects that the function itself allocated, and their share "
    "of all objects; below: those of this type, and their share of the "
    "function's objects",
    "function",
    "first line: the function; below: the class or the type; \"(N more)\": "
    "types with a small share of the function's objects")};

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct profile *profile = listing->view->profile;
  if (item == profile->type_count)
    return false;
  row->data = &profile->types[item];
  row->figures = &listing->view->tally.types[item];
  row->name = tally_type_name(profile, &profile->types[item]);
  row->rank = profile->types[item].category;
  return true;
}

static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct profile *profile = listing->view->profile;
  const struct profile_type *type = row->data;
  put_text(out, id == CATEGORY
                    ? category_rows[profile->language][type->category].name
                    : names_text(&profile->names,
                                 id == TYPE ? type->type : type->class_name));
}

/* Lists the pairs of each type. */
static void
pairs_init(struct listing *listing)
{
  const struct call_graph *graph = &listing->view->graph;
  const size_t count = graph->self_type_count;
  uint32_t *type_of = pool_alloc(count * sizeof *type_of);
  for (size_t i = 0; i < count; i++)
    type_of[i] = graph->self_types[i].type;
  lists_init(listing->context, listing->view->profile->type_count, type_of,
             count);
}

static void
functions_of_type(const struct listing *listing,
                  const struct ranking_row *type, struct ranking *ranking)
{
  const struct lists *pairs = listing->context;
  const struct call_graph *graph = &listing->view->graph;
  for (uint32_t i = lists_first(pairs, type->item); i != INDEX_NONE;
       i = lists_next(pairs, i)) {
    const struct type_part *pair = &graph->self_types[i];
    ranking_add(ranking,
                (struct ranking_row){.figures = &pair->figures,
                                     .name = graph->nodes[pair->group].name,
                                     .item = i});
  }
}

static bool
function_row(const struct listing *listing, size_t item,
             struct ranking_row *row)
{
  const struct call_graph *graph = &listing->view->graph;
  if (item == graph->node_count)
    return false;
  row->data = &graph->nodes[item];
  row->figures = &graph->nodes[item].self;
  row->name = graph->nodes[item].name;
  return true;
}

static void
types_of_function(const struct listing *listing,
                  const struct ranking_row *row, struct ranking *ranking)
{
  const struct profile *profile = listing->view->profile;
  const struct graph_node *node = row->data;
  for (size_t i = 0; i < node->type_count; i++) {
    const struct type_part *pair =
        &listing->view->graph.self_types[node->first_type + i];
    ranking_add(ranking, (struct ranking_row){
                             .figures = &pair->figures,
                             .name = tally_type_name(
                                 profile, &profile->types[pair->type]),
                             .item = i});
  }
}

const struct table types_table = {
    .title = "TYPES",
    .rows = "types",
    .drops_empty = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
};

const struct table type_functions_table = {
    .title = "FUNCTIONS OF EACH TYPE",
    .rows = "types",
    .drops_empty = true,
    COLUMNS(type_columns),
    .row = row,
    .members = functions_of_type,
    .context_bytes = sizeof(struct lists),
    .init = pairs_init,
};

const struct table function_types_table = {
    .title = "TYPES OF EACH FUNCTION",
    .drops_empty = true,
    COLUMNS(function_columns),
    .row = function_row,
    .members = types_of_function,
};
