/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The distinct chains, in the order of the tree of chains.  As rows on their
 * own, in CSV, they are those at whose end something was allocated or called,
 * each one cell, root first, as folded stacks have it; else all nodes of the
 * tree.  In Lisp they have no figures: contexts_by_size_table has them.
 */

#include "base/array.h"
#include "tables/sample_rows.h"
#include "tables/table.h"

enum id { CHAIN, PARENT, FUNCTION, CALLS, TYPES };

static const struct column columns[] = {
    {OWN(PARENT), .keys = KEYS("parent", NULL)},
    {OWN(FUNCTION), .keys = KEYS("function", NULL)},
    {OWN(CHAIN), .keys = KEYS(NULL, "chain")},
    {CONTENT(COUNTS), .keys = {[FORM_JSON] = "", [FORM_CSV] = ""}},
    {OWN(CALLS), .keys = KEY("calls")},
    ALL_MORE,
    {OWN(TYPES), .keys = {[FORM_JSON] = "types"}},
};

struct contexts {
  struct chains chains;
  uint32_t *path; /* room for a chain */
  struct sample_rows rows;
  /* what the leaf of the context in hand allocated, by type */
  struct type_part *parts;
  size_t part_count, part_capacity;
};

static void
init(struct listing *listing)
{
  struct contexts *contexts = listing->context;
  chains_init(&contexts->chains, &listing->view->tree, false);
  if (listing->form == FORM_CSV)
    chains_fit(&contexts->chains, true, &listing->text->sink);
  else
    sample_rows_init(&contexts->rows, &listing->view->tree, ROWS_OF_TYPES);
  contexts->path =
      pool_zeroed(contexts->chains.count, sizeof *contexts->path);
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = listing->context;
  const struct chains *chains = &contexts->chains;
  if (item + 1 == chains->count)
    return false;
  const uint32_t node = chains->walk[item + 1]; /* behind the root */
  row->counts = chains->counts[node].counts;
  row->left_out =
      listing->form == FORM_CSV && !chain_counts_any(chains, node);
  return true;
}

/* Returns the chain that ends in NODE. */
static struct cell
chain_cell(const struct listing *listing, uint32_t node)
{
  const struct contexts *contexts = listing->context;
  const struct call_tree *tree = contexts->chains.tree;
  struct sink *sink = &listing->text->sink;
  size_t length = 0;
  string_sink_clear(listing->text);
  for (; node != TREE_ROOT; node = tree->tree.nodes[node].parent)
    contexts->path[length++] = node;
  while (length-- > 0) {
    escape_name(sink, call_tree_leaf(tree, contexts->path[length])->name,
                ";");
    sink_text(sink, length == 0 ? "" : ";");
  }
  return listing_text(listing);
}

/* Gathers the parts of NODE: rows of one type follow each other. */
static void
collect_parts(struct contexts *contexts, uint32_t node)
{
  struct sample_rows *rows = &contexts->rows;
  contexts->part_count = rows->count = 0;
  sample_rows_add(rows, node);
  for (size_t i = 0; i < rows->count; i++) {
    const struct sample_row *row = &rows->rows[i];
    uint32_t type = (uint32_t)row->keys[ROW_TYPE];
    if (i == 0 || type != row[-1].keys[ROW_TYPE])
      ARRAY_PUSH(contexts->parts, contexts->part_count,
                 contexts->part_capacity, (struct type_part){.type = type});
    struct type_part *part = &contexts->parts[contexts->part_count - 1];
    part->figures.bytes += row->counts[MEASURE_BYTES];
    part->figures.allocs += row->counts[MEASURE_ALLOCS];
  }
}

static struct cell
cell(const struct listing *listing, const struct ranking_row *row, int id)
{
  const struct contexts *contexts = listing->context;
  const struct chains *chains = &contexts->chains;
  const uint32_t number = chains->walk[row->item + 1];
  const struct tree_node *node = &chains->tree->tree.nodes[number];
  switch ((enum id)id) {
  case CHAIN:
    return chain_cell(listing, number);
  case PARENT:
    return node->parent == TREE_ROOT
               ? cell_optional(false, 0)
               : cell_reference(TO_CONTEXTS,
                                chains->places[node->parent] - 1);
  case FUNCTION:
    return cell_reference(TO_FUNCTIONS, node->item);
  case CALLS:
    return cell_calls(chains->counts[number].calls);
  default:
    collect_parts(listing->context, number);
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
};
