/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The distinct chains, in the order of the tree of chains.  As rows on their
 * own, in CSV, they are those at whose end something was allocated or called,
 * each one cell, root first, as folded stacks have it; else all nodes of the
 * tree.  In Lisp they have no figures: these are in a table of their own, by
 * type and size, phase and thread, with the numbers of the samples.
 */

#include "base/array.h"
#include "tables/sample_rows.h"
#include "tables/table.h"

enum id { CHAIN, PARENT, TYPES };
enum size_id { OF_CHAIN, TYPE, SIZE, PHASE, THREAD, SAMPLES };

static const struct column chain_columns[] = {
    {OWN(PARENT), .keys = KEYS("parent", NULL)},
    {FIELD(FUNCTION, struct tree_node, item), .keys = KEYS("function", NULL)},
    {OWN(CHAIN), .keys = KEYS(NULL, "chain")},
    {CONTENT(COUNTS), .keys = {[FORM_JSON] = "", [FORM_CSV] = ""}},
    {CONTENT(CALLS), .keys = KEY("calls")},
    ALL_MORE,
    {OWN(TYPES), .keys = {[FORM_JSON] = "types"}},
};

#define LISP_KEY(key)                                                        \
  {                                                                          \
    [FORM_LISP] = key                                                        \
  }

static const struct column size_columns[] = {
    {OWN(OF_CHAIN), .keys = LISP_KEY("chain")},
    {OWN(TYPE), .keys = LISP_KEY("category,type,class")},
    {OWN(SIZE), .keys = LISP_KEY("size")},
    {OWN(PHASE), .keys = LISP_KEY("phase")},
    {OWN(THREAD), .keys = LISP_KEY("thread")},
    ALL_COUNTS,
    {OWN(SAMPLES), .keys = LISP_KEY("samples")},
};

struct contexts {
  struct chains chains;
  uint32_t *path; /* room for a chain */
  struct sample_rows rows;
  /* by size: */
  struct lists samples; /* by row */
  uint64_t *numbers;    /* room for the samples of a row */
};

static void
chains_begin(struct listing *listing)
{
  struct contexts *contexts = listing->context;
  chains_init(&contexts->chains, &listing->view->tree, false);
  if (listing->form == FORM_CSV)
    chains_fit(&contexts->chains, true, &listing->text->sink);
  else
    sample_rows_init(&contexts->rows, &listing->view->tree, ROWS_OF_PARTS);
  contexts->path =
      pool_zeroed(contexts->chains.count, sizeof *contexts->path);
}

static bool
chain_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = listing->context;
  const struct chains *chains = &contexts->chains;
  if (item + 1 == chains->count)
    return false;
  const uint32_t node = chains->walk[item + 1]; /* behind the root */
  row->data = &chains->tree->tree.nodes[node];
  row->counts = chains->counts[node].counts;
  row->calls = chains->counts[node].calls;
  row->left_out =
      listing->form == FORM_CSV && !chain_counts_any(chains, node);
  return true;
}

/* Returns the chain that ends in NODE. */
static const char *
whole_chain(const struct listing *listing, uint32_t node)
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
  return string_sink_text(listing->text);
}

/* Puts what the end of NODE allocated, by type, into OUT. */
static void
put_types(struct sample_rows *rows, uint32_t node, struct writer *out)
{
  rows->count = 0;
  sample_rows_add(rows, node);
  writer_begin(out, '[');
  for (size_t i = 0; i < rows->count; i++)
    put_part(out, (uint32_t)rows->rows[i].keys[ROW_TYPE],
             rows->rows[i].counts[MEASURE_ALLOCS],
             rows->rows[i].counts[MEASURE_BYTES]);
  writer_end(out, ']');
}

static void
chain_cell(const struct listing *listing, const struct ranking_row *row,
           int id, struct writer *out)
{
  struct contexts *contexts = listing->context;
  const struct tree_node *node = row->data;
  const uint32_t number = contexts->chains.walk[row->item + 1];
  switch ((enum id)id) {
  case CHAIN:
    put_string(out, whole_chain(listing, number));
    break;
  case PARENT:
    if (node->parent == TREE_ROOT)
      put_optional(out, false, 0);
    else
      put_reference(out, TO_CONTEXTS,
                    contexts->chains.places[node->parent] - 1);
    break;
  case TYPES:
    put_types(&contexts->rows, number, out);
  }
}

/* ---- by size ---- */

static void
sizes_begin(struct listing *listing)
{
  struct contexts *contexts = listing->context;
  struct chains *chains = &contexts->chains;
  struct sample_rows *rows = &contexts->rows;
  const size_t count = listing->view->profile->sample_count;
  chains_init(chains, &listing->view->tree, false);
  sample_rows_init(rows, chains->tree, ROWS_OF_CONTEXTS);
  rows->of_sample = pool_alloc(count * sizeof *rows->of_sample);
  for (size_t i = 0; i < count; i++)
    rows->of_sample[i] = INDEX_NONE;
  for (size_t i = 1; i < chains->count; i++)
    sample_rows_add(rows, chains->walk[i]);
  lists_init(&contexts->samples, rows->count, rows->of_sample, count);
  contexts->numbers = pool_zeroed(count, sizeof *contexts->numbers);
}

static bool
size_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = listing->context;
  if (item == contexts->rows.count)
    return false;
  row->data = &contexts->rows.rows[item];
  row->counts = contexts->rows.rows[item].counts;
  row->rank = item;
  return true;
}

static void
size_cell(const struct listing *listing, const struct ranking_row *row,
          int id, struct writer *out)
{
  static const char *const words[] = {[SIZE_LARGE] = "large",
                                      [SIZE_GROWTH] = "grown",
                                      [SIZE_UNKNOWN] = "unknown"};
  const struct contexts *contexts = listing->context;
  const struct sample_row *context = row->data;
  const struct profile *profile = listing->view->profile;
  size_t count = 0;
  switch ((enum size_id)id) {
  case OF_CHAIN:
    put_reference(out, TO_CONTEXTS,
                  contexts->chains.places[context->node] - 1);
    break;
  case TYPE:
    put_type(out, (uint32_t)context->keys[ROW_TYPE]);
    break;
  case SIZE:
    if (context->keys[ROW_SIZE_KIND] == SIZE_EXACT)
      put_number(out, context->keys[ROW_OBJECT_BYTES]);
    else
      put_keyword(out, words[context->keys[ROW_SIZE_KIND]]);
    break;
  case PHASE:
    put_text(out, phase_texts[context->keys[ROW_PHASE]].word);
    break;
  case THREAD:
    put_text(out, profile_thread_name(profile, context->keys[ROW_THREAD]));
    break;
  case SAMPLES:
    for (uint32_t i = lists_first(&contexts->samples, row->item);
         i != INDEX_NONE; i = lists_next(&contexts->samples, i))
      contexts->numbers[count++] = i;
    put_numbers(out, contexts->numbers, count);
  }
}

const struct table contexts_table = {
    .in_place = true,
    COLUMNS(chain_columns),
    .row = chain_row,
    .cell = chain_cell,
    .context_bytes = sizeof(struct contexts),
    .init = chains_begin,
};

const struct table contexts_by_size_table = {
    COLUMNS(size_columns), .row = size_row,
    .cell = size_cell,     .context_bytes = sizeof(struct contexts),
    .init = sizes_begin,
};
