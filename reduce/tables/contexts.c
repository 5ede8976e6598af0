/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The distinct chains, in the order of the tree of chains.  As rows on their
 * own, in CSV, they are those at whose end something was allocated or called,
 * each one cell, root first, as folded stacks have it; else all nodes of the
 * tree.
 *
 * What a chain allocated by type is gathered by sorting the samples.
 */

#include "base/array.h"
#include "tables/chain_tree.h"
#include "tables/table.h"

#include <stdlib.h>

enum id { CHAIN, PARENT, FUNCTION, CALLS, TYPES };

static const struct column columns[] = {
    {.id = PARENT, .keys = KEYS("parent", NULL, NULL)},
    {.id = FUNCTION, .keys = KEYS("function", NULL, NULL)},
    {.id = CHAIN, .keys = KEYS(NULL, "chain", NULL)},
    ALL_COUNTS,
    {.id = CALLS, .keys = KEY("calls")},
    ALL_MORE,
    {.id = TYPES, .keys = KEYS("types", NULL, NULL)},
};

/* What the leaf of a context allocated of a type. */
struct context_type {
  uint32_t context, type;
  uint64_t allocs, bytes;
};

struct contexts {
  struct chain_tree tree;
  struct context_type *types; /* by context, then by type */
  size_t type_count;
  size_t *first_types;      /* of a context; one more at the end */
  uint32_t *path;           /* room for a chain */
};

/* By context, then by type. */
static int
compare_types(const void *left, const void *right)
{
  const struct context_type *a = left;
  const struct context_type *b = right;
  if (a->context != b->context)
    return a->context < b->context ? -1 : 1;
  return a->type < b->type ? -1 : a->type > b->type;
}

/* Fills in the types, and where those of each context begin. */
static bool
collect_types(struct contexts *contexts, const struct reduction *reduction)
{
  const struct profile *profile = reduction->profile;
  struct context_type *types =
      array_zeroed(profile->sample_count, sizeof *types);
  size_t count = 0;
  contexts->types = types;
  contexts->first_types =
      array_zeroed(contexts->tree.count + 1, sizeof *contexts->first_types);
  if (types == NULL || contexts->first_types == NULL)
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count sample;
    uint32_t context = contexts->tree.of_sample[i];
    if (context == INDEX_NONE)
      continue;
    selection_count(&reduction->selection, i, &sample);
    types[count++] = (struct context_type){context, sample.type,
                                           sample.counts[MEASURE_ALLOCS],
                                           sample.counts[MEASURE_BYTES]};
  }
  array_sort(types, count, sizeof *types, compare_types);
  for (size_t i = 0; i < count; i++) {
    struct context_type *last =
        i == 0 ? NULL : &types[contexts->type_count - 1];
    if (last != NULL && compare_types(last, &types[i]) == 0) {
      last->allocs += types[i].allocs;
      last->bytes += types[i].bytes;
    } else {
      contexts->first_types[types[i].context + 1]++;
      types[contexts->type_count++] = types[i];
    }
  }
  for (size_t i = 0; i < contexts->tree.count; i++)
    contexts->first_types[i + 1] += contexts->first_types[i];
  return true;
}

static bool
init(struct view *view)
{
  struct contexts *contexts = view->context;
  if (!chain_tree_init(&contexts->tree, view->reduction, CHAIN_OF_FUNCTIONS))
    return false;
  contexts->path =
      array_zeroed(contexts->tree.count, sizeof *contexts->path);
  return contexts->path != NULL && (view->form == FORM_CSV ||
                                    collect_types(contexts, view->reduction));
}

static void
release(void *context)
{
  struct contexts *contexts = context;
  chain_tree_release(&contexts->tree);
  free(contexts->types);
  free(contexts->first_types);
  free(contexts->path);
}

static size_t
count(const struct view *view)
{
  const struct contexts *contexts = view->context;
  return contexts->tree.count;
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = view->context;
  const struct chain_node *node = &contexts->tree.nodes[item];
  row->counts = node->counts;
  return view->form != FORM_CSV || chain_node_allocates(node) ||
         node->calls != 0;
}

/* The chain that ends in NODE. */
static struct cell
chain_cell(const struct view *view, size_t node)
{
  const struct contexts *contexts = view->context;
  const struct chain_tree *tree = &contexts->tree;
  struct sink *sink = &view->text->sink;
  size_t length = 0;
  string_sink_clear(view->text);
  for (uint32_t n = (uint32_t)node; n != INDEX_NONE;
       n = tree->nodes[n].parent)
    contexts->path[length++] = tree->nodes[n].item;
  while (length-- > 0) {
    escape_name(sink, chain_item_name(tree, contexts->path[length]), ";");
    sink_text(sink, length == 0 ? "" : ";");
  }
  return view_text(view);
}

static struct cell
cell(const struct view *view, const struct ranking_row *row, int id)
{
  const struct contexts *contexts = view->context;
  const struct chain_node *node = &contexts->tree.nodes[row->item];
  switch ((enum id)id) {
  case CHAIN:
    return chain_cell(view, row->item);
  case PARENT:
    return node->parent == INDEX_NONE
               ? cell_optional(false, 0)
               : cell_reference(TO_CONTEXTS, node->parent);
  case FUNCTION:
    return cell_reference(TO_FUNCTIONS, node->item);
  case CALLS:
    return cell_calls(node->calls);
  default:
    return (struct cell){.kind = CELL_PARTS};
  }
}

static bool
part(const struct view *view, size_t item, size_t number, struct part *part)
{
  const struct contexts *contexts = view->context;
  size_t place = contexts->first_types[item] + number;
  if (place == contexts->first_types[item + 1])
    return false;
  const struct context_type *type = &contexts->types[place];
  *part = (struct part){type->type, type->bytes, type->allocs, NULL};
  return true;
}

const struct table contexts_table = {
    .in_place = true,
    .keeps_empty = true,
    COLUMNS(columns),
    .count = count,
    .row = row,
    .cell = cell,
    .part = part,
    .context_bytes = sizeof(struct contexts),
    .init = init,
    .release = release,
};
