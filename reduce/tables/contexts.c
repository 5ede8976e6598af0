/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The distinct chains, in the order of the tree of chains.  As rows on their
 * own, in CSV, they are those at whose end something was allocated or called,
 * each one cell, root first, as folded stacks have it; else all nodes of the
 * tree.
 */

#include "base/array.h"
#include "base/lists.h"
#include "tables/chain_tree.h"
#include "tables/table.h"

#include <errno.h>
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

struct contexts {
  struct chain_tree tree;
  uint32_t *path;       /* room for a chain */
  struct lists samples; /* of each context */
  /* what the leaf of the context in hand allocated, by type */
  struct graph_self_type *parts;
  size_t part_count, part_capacity;
};

static bool
init(struct view *view)
{
  const struct reduction *reduction = view->reduction;
  struct contexts *contexts = view->context;
  struct chain_tree *tree = &contexts->tree;
  if (!chain_tree_init(tree, reduction, CHAIN_OF_FUNCTIONS))
    return false;
  contexts->path = array_zeroed(tree->count, sizeof *contexts->path);
  return contexts->path != NULL &&
         (view->form == FORM_CSV ||
          lists_init(&contexts->samples, tree->count, tree->of_sample,
                     reduction->profile->sample_count));
}

static void
release(void *context)
{
  struct contexts *contexts = context;
  chain_tree_release(&contexts->tree);
  lists_release(&contexts->samples);
  free(contexts->parts);
  free(contexts->path);
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = view->context;
  if (item == contexts->tree.count)
    return false;
  const struct chain_node *node = &contexts->tree.nodes[item];
  row->counts = node->counts;
  row->left_out = view->form == FORM_CSV && !chain_node_allocates(node) &&
                  node->calls == 0;
  return true;
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

/* By type. */
static int
compare_parts(const void *left, const void *right)
{
  const struct graph_self_type *a = left;
  const struct graph_self_type *b = right;
  return a->type < b->type ? -1 : a->type > b->type;
}

/* Gathers the parts of the context ITEM: those of its few samples are sorted,
 * and those of one type added up. */
static bool
collect_parts(struct contexts *contexts, size_t item)
{
  size_t count = 0;
  contexts->part_count = 0;
  for (uint32_t i = lists_first(&contexts->samples, item); i != INDEX_NONE;
       i = lists_next(&contexts->samples, i)) {
    struct sample_count sample;
    selection_count(&contexts->tree.reduction->selection, i, &sample);
    if (!ARRAY_PUSH(contexts->parts, count, contexts->part_capacity,
                    (struct graph_self_type){
                        .type = sample.type,
                        .bytes = sample.counts[MEASURE_BYTES],
                        .allocs = sample.counts[MEASURE_ALLOCS]}))
      return false;
  }
  struct graph_self_type *last = contexts->parts;
  array_sort(last, count, sizeof *last, compare_parts);
  for (size_t i = 1; i < count; i++) {
    const struct graph_self_type *next = &contexts->parts[i];
    if (next->type == last->type) {
      last->bytes += next->bytes;
      last->allocs += next->allocs;
    } else {
      *++last = *next;
    }
  }
  contexts->part_count =
      count == 0 ? 0 : (size_t)(last - contexts->parts) + 1;
  return true;
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
    if (!collect_parts(view->context, row->item))
      sink_fail(&view->text->sink, ENOMEM);
    return cell_parts(contexts->parts, contexts->part_count);
  }
}

const struct table contexts_table = {
    .in_place = true,
    .keeps_empty = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .context_bytes = sizeof(struct contexts),
    .init = init,
    .release = release,
};
