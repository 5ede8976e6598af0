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

struct pairs {
  size_t group_count;
  struct lists of_group; /* of the graph's self_types */
};

static bool
is_by_type(const struct listing *listing)
{
  return listing->table == &type_functions_table;
}

static void
pairs_init(struct listing *listing)
{
  const struct call_graph *graph = &listing->view->graph;
  struct pairs *pairs = listing->context;
  size_t count = graph->self_type_count;
  uint32_t *group_of = pool_alloc(count * sizeof *group_of);
  pairs->group_count = is_by_type(listing)
                           ? listing->view->profile->type_count
                           : graph->node_count;
  for (size_t i = 0; i < count; i++)
    group_of[i] = is_by_type(listing) ? graph->self_types[i].type
                                      : graph->self_types[i].group;
  lists_init(&pairs->of_group, pairs->group_count, group_of, count);
}

/* Returns the name of a type, or of a function. */
static const char *
name_of(const struct listing *listing, bool type, size_t index)
{
  const struct profile *profile = listing->view->profile;
  return type ? tally_type_name(profile, &profile->types[index])
              : listing->view->graph.nodes[index].name;
}

static bool
group_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct view *view = listing->view;
  const struct pairs *pairs = listing->context;
  const bool by_type = is_by_type(listing);
  if (item == pairs->group_count)
    return false;
  row->figures =
      by_type ? &view->tally.types[item] : &view->graph.nodes[item].self;
  row->name = name_of(listing, by_type, item);
  row->rank = by_type ? view->profile->types[item].category : 0;
  return true;
}

static void
members(const struct listing *listing, const struct ranking_row *row,
        struct ranking *ranking)
{
  const struct pairs *pairs = listing->context;
  for (uint32_t i = lists_first(&pairs->of_group, row->item); i != INDEX_NONE;
       i = lists_next(&pairs->of_group, i)) {
    const struct type_part *pair = &listing->view->graph.self_types[i];
    struct ranking_row member = {
        .figures = &pair->figures,
        .name = name_of(listing, !is_by_type(listing),
                        is_by_type(listing) ? pair->group : pair->type),
        .item = i};
    ranking_add(ranking, member);
  }
}

const struct table types_table = {
    .title = "TYPES",
    .rows = "types",
    COLUMNS(columns),
    .row = row,
    .cell = cell,
};

#define PAIRS_TABLE                                                          \
  .row = group_row, .members = members,                                      \
  .context_bytes = sizeof(struct pairs), .init = pairs_init

const struct table type_functions_table = {
    .title = "FUNCTIONS OF EACH TYPE",
    .rows = "types",
    COLUMNS(type_columns),
    PAIRS_TABLE,
};

const struct table function_types_table = {
    .title = "TYPES OF EACH FUNCTION",
    COLUMNS(function_columns),
    PAIRS_TABLE,
};
