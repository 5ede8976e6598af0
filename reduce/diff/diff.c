/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Building a comparison: each side adds its figures to entries that are
 * found by name.  Linear in the functions, types and frames of both.
 */

#include "diff/diff.h"

#include "base/array.h"
#include "base/progress.h"

#include <string.h>

/* One side being added. */
struct adding {
  struct diff *diff;
  enum diff_side side;
  uint64_t *key; /* the one being made */
  size_t key_length, key_capacity;
};

static bool
push_name(struct adding *adding, const char *name)
{
  uint32_t id = names_intern(&adding->diff->names, name);
  uint64_t *key = array_reserve(adding->key, &adding->key_capacity,
                                adding->key_length + 1, sizeof *key);
  if (key != NULL)
    adding->key = key;
  if (key == NULL || id == NAMES_NONE)
    return false;
  key[adding->key_length++] = id;
  return true;
}

/* Adds FIGURES to the entry of the key, which is ended. */
static bool
add_figures(struct adding *adding, enum diff_kind kind,
            struct diff_figures figures)
{
  struct diff_table *table = &adding->diff->tables[kind];
  uint32_t row = row_table_add(&table->keys, adding->key, adding->key_length);
  adding->key_length = 0;
  struct diff_entry *entries =
      array_reserve(table->entries, &table->capacity, table->keys.row_count,
                    sizeof *entries);
  if (entries != NULL)
    table->entries = entries;
  if (entries == NULL || row == ROW_NONE)
    return false;
  if (row == table->entry_count) {
    memset(&entries[row], 0, sizeof entries[row]);
    table->entry_count++;
  }
  entries[row].present[adding->side] = true;
  struct diff_figures *sum = &entries[row].sides[adding->side];
  for (int i = 0; i < MEASURE_COUNT; i++)
    sum->counts[i] += figures.counts[i];
  sum->calls = calls_add(sum->calls, figures.calls);
  return true;
}

static struct diff_figures
from_figures(const struct figures *figures, uint64_t calls)
{
  struct diff_figures counts = {.calls = calls};
  for (int i = 0; i < MEASURE_COUNT; i++)
    counts.counts[i] = figures->counts[i];
  return counts;
}

static bool
add_functions(struct adding *adding)
{
  const struct call_graph *graph = &adding->diff->sides[adding->side].graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (!push_name(adding, node->name) ||
        !add_figures(adding, DIFF_FUNCTIONS,
                     from_figures(&node->self, node->calls)) ||
        !push_name(adding, node->name) ||
        !add_figures(adding, DIFF_INCLUSIVE,
                     from_figures(&node->inclusive, node->calls)))
      return false;
  }
  return true;
}

static bool
add_types(struct adding *adding)
{
  const struct reduction *reduction = &adding->diff->sides[adding->side];
  const struct profile *profile = reduction->profile;
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct figures *figures = &reduction->tally.types[i];
    const char *name = tally_type_name(profile, &profile->types[i]);
    if ((figures->bytes != 0 || figures->allocs != 0) &&
        (!push_name(adding, *name == '\0' ? "[unknown type]" : name) ||
         !add_figures(adding, DIFF_TYPES, from_figures(figures, 0))))
      return false;
  }
  return true;
}

/* The names of the chain of NODE, root first. */
static bool
push_chain(struct adding *adding, uint32_t node)
{
  const struct call_tree *tree = &adding->diff->sides[adding->side].tree;
  uint32_t depth = 0;
  for (uint32_t n = node; n != TREE_ROOT; n = tree->tree.nodes[n].parent)
    depth++;
  for (; depth > 0; depth--) {
    uint32_t n = node;
    for (uint32_t i = 1; i < depth; i++)
      n = tree->tree.nodes[n].parent;
    if (!push_name(adding, tree->items[tree->tree.nodes[n].item].name))
      return false;
  }
  return true;
}

static bool
add_contexts(struct adding *adding)
{
  const struct reduction *reduction = &adding->diff->sides[adding->side];
  const struct profile *profile = reduction->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct diff_figures figures = {.calls = 0};
    struct sample_count count;
    uint32_t node = reduction->tree.of_sample[i];
    if (node == INDEX_NONE)
      continue;
    selection_count(&reduction->selection, i, &count);
    memcpy(figures.counts, count.counts, sizeof figures.counts);
    if (!push_chain(adding, node) ||
        !add_figures(adding, DIFF_CONTEXTS, figures))
      return false;
  }
  return true;
}

static bool
add_side(struct diff *diff, enum diff_side side)
{
  struct adding adding = {.diff = diff, .side = side};
  diff->totals[side] = from_figures(&diff->sides[side].selection.total, 0);
  bool good =
      add_functions(&adding) && add_types(&adding) && add_contexts(&adding);
  free(adding.key);
  return good;
}

/* Adds the calls of all functions whose calls both sides know. */
static void
total_calls(struct diff *diff)
{
  const struct diff_table *table = &diff->tables[DIFF_FUNCTIONS];
  for (size_t i = 0; i < table->entry_count; i++) {
    const struct diff_figures *sides = table->entries[i].sides;
    if (!diff_calls_known(sides))
      continue;
    for (int side = 0; side < DIFF_SIDES; side++)
      diff->totals[side].calls += sides[side].calls;
  }
}

__extension__ typedef unsigned __int128 uint128;

/* VALUE times NEW through OLD, to the nearest, halves up; VALUE itself when
 * OLD is nothing.  What does not fit stays the largest number. */
static uint64_t
scale(uint64_t value, uint64_t old, uint64_t new)
{
  if (old == 0)
    return value;
  uint128 scaled = ((uint128)value * new + old / 2) / old;
  return scaled > INT64_MAX ? INT64_MAX : (uint64_t)scaled;
}

/* Scales all that is old by the ratio of the totals. */
static void
normalize(struct diff *diff)
{
  struct diff_figures old = diff->totals[DIFF_OLD];
  struct diff_figures new = diff->totals[DIFF_NEW];
  for (size_t kind = 0; kind < DIFF_KINDS; kind++)
    for (size_t i = 0; i < diff->tables[kind].entry_count; i++) {
      struct diff_figures *figures =
          &diff->tables[kind].entries[i].sides[DIFF_OLD];
      for (int m = 0; m < MEASURE_COUNT; m++)
        figures->counts[m] =
            scale(figures->counts[m], old.counts[m], new.counts[m]);
      if (figures->calls != CALLS_UNKNOWN)
        figures->calls = scale(figures->calls, old.calls, new.calls);
    }
}

bool
diff_init(struct diff *diff, const struct profile profiles[DIFF_SIDES],
          const struct view_options *options,
          const struct diff_options *limits, struct progress *progress,
          struct mprof_error *error)
{
  memset(diff, 0, sizeof *diff);
  diff->options = options;
  diff->limits = limits;
  if (!names_init(&diff->names))
    return mprof_error_memory(error);
  for (int side = 0; side < DIFF_SIDES; side++)
    if (!reduction_init(&diff->sides[side], &profiles[side], options,
                        progress, error))
      return false;
  if (diff->sides[DIFF_OLD].profile->language !=
      diff->sides[DIFF_NEW].profile->language)
    return mprof_error_set(error, MPROF_BAD_PROFILE, MPROF_NO_OFFSET,
                           "a profile of a Lisp program and one of a C "
                           "program cannot be compared");
  progress_tell(progress, "comparing", 0, 0);
  if (!add_side(diff, DIFF_OLD) || !add_side(diff, DIFF_NEW))
    return mprof_error_memory(error);
  total_calls(diff);
  if (limits->normalize)
    normalize(diff);
  return true;
}

void
diff_release(struct diff *diff)
{
  for (int side = 0; side < DIFF_SIDES; side++)
    reduction_release(&diff->sides[side]);
  for (int kind = 0; kind < DIFF_KINDS; kind++) {
    row_table_release(&diff->tables[kind].keys);
    free(diff->tables[kind].entries);
  }
  names_release(&diff->names);
  memset(diff, 0, sizeof *diff);
}
