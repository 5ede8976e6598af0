/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows for the rankings of listing.h. */

#include "export/listing.h"

#include <string.h>

/* Ends a list: GOOD says whether all of it could be added. */
static bool
finish(struct ranking *ranking, bool good)
{
  if (good)
    ranking_sort(ranking, SORT_SELF);
  return good;
}

/* Adds ITEM, to be sorted by what the options count. */
static bool
add_row(struct ranking *ranking, const struct reduction *reduction,
        const struct figures *figures, uint64_t rank, const char *name,
        size_t item)
{
  struct ranking_row row = ranking_row_of(figures, name, item);
  row.rank = rank;
  row.self_bytes = figures->counts[reduction_measure(reduction)];
  return ranking_add(ranking, row);
}

bool
list_functions(const struct reduction *reduction, struct ranking *ranking)
{
  bool good = true;
  ranking_init(ranking);
  for (size_t i = 0; good && i < reduction->graph.node_count; i++) {
    const struct graph_node *node = &reduction->graph.nodes[i];
    good = add_row(ranking, reduction, &node->inclusive, node->depth,
                   node->name, i);
  }
  return finish(ranking, good);
}

bool
list_arcs(const struct reduction *reduction, struct ranking *ranking)
{
  const struct call_graph *graph = &reduction->graph;
  bool good = true;
  ranking_init(ranking);
  for (size_t i = 0; good && i < graph->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[i];
    good = add_row(ranking, reduction, &arc->inclusive, arc->caller,
                   graph->nodes[arc->callee].name, i);
  }
  return finish(ranking, good);
}

/* Adds ITEM, unless it allocated nothing. */
static bool
add_share(struct ranking *ranking, const struct reduction *reduction,
          const struct figures *figures, uint64_t rank, const char *name,
          size_t item)
{
  return (figures->bytes == 0 && figures->allocs == 0) ||
         add_row(ranking, reduction, figures, rank, name, item);
}

bool
list_types(const struct reduction *reduction, struct ranking *ranking)
{
  const struct profile *profile = reduction->profile;
  bool good = true;
  ranking_init(ranking);
  for (size_t i = 0; good && i < profile->type_count; i++)
    good = add_share(ranking, reduction, &reduction->tally.types[i],
                     profile->types[i].category,
                     tally_type_name(profile, &profile->types[i]), i);
  return finish(ranking, good);
}

bool
list_phases(const struct reduction *reduction, struct ranking *ranking)
{
  bool good = true;
  ranking_init(ranking);
  for (size_t i = 0; good && i < PHASE_COUNT; i++)
    good = add_share(ranking, reduction, &reduction->tally.phases[i], 0,
                     phase_word((enum phase)i), i);
  return finish(ranking, good);
}

bool
list_threads(const struct reduction *reduction, struct ranking *ranking)
{
  const struct profile *profile = reduction->profile;
  bool good = true;
  ranking_init(ranking);
  for (size_t i = 0; good && i < profile->thread_count; i++)
    good = add_share(ranking, reduction, &reduction->tally.threads[i], 0,
                     profile_thread_name(profile, i), i);
  return finish(ranking, good);
}

const char *
listed_file(const struct reduction *reduction, const struct graph_node *node)
{
  return node->function == INDEX_NONE
             ? ""
             : function_file(&reduction->frames, node->function);
}

int64_t
listed_line(const struct reduction *reduction, const struct graph_node *node)
{
  int64_t line =
      node->function == INDEX_NONE
          ? 0
          : reduction->frames.functions[node->function].start_line;
  return line < 0 ? 0 : line;
}

char *
listed_comment(const struct profile *profile, size_t index,
               const char **value)
{
  const char *text = names_text(&profile->names, profile->comments[index]);
  size_t length = strcspn(text, "=");
  *value = text[length] == '\0' ? "" : text + length + 1;
  return strndup(text, length);
}
