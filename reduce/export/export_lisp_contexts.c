/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call chains for a Lisp reader, made to be read fast: one expression
 * with all names, then integers in three tables, a row a line.
 *
 * A chain is what happened at a node of the tree in one phase and one thread,
 * a context what was allocated there of one type and one size.  Contexts are
 * sorted by bytes, then by allocations, descending, then by the first sample.
 */

#include "base/array.h"
#include "base/lists.h"
#include "base/quote.h"
#include "base/row_table.h"
#include "export/export.h"
#include "tables/writer.h"

#include <inttypes.h>

struct context {
  uint32_t row; /* in the order of the first samples */
  uint64_t sample_count;
  uint64_t allocs, bytes;
};

struct collection {
  const struct reduction *reduction;
  struct call_tree tree;
  struct row_table chains;       /* node of the tree, phase, thread */
  size_t chain_count;            /* those that count: the first ones */
  uint64_t *calls;               /* by chain, whether they are known or not */
  struct row_table context_rows; /* chain, type, size */
  struct context *contexts;      /* by row, then sorted */
  struct lists samples;          /* of a context, by row */
};

/* The chain at NODE of the sample I, which may be a new one. */
static uint32_t
chain_of(struct collection *collection, uint32_t i, uint32_t node)
{
  const struct reduction *reduction = collection->reduction;
  const struct profile *profile = reduction->profile;
  const uint64_t key[] = {node, selection_phase(&reduction->selection, i),
                          profile->labels[profile->samples[i].labels].thread};
  return row_table_add(&collection->chains, key, sizeof key / sizeof key[0]);
}

/* What stands for the size of objects, unless all have the same. */
static const int64_t sizes[] = {
    [SIZE_LARGE] = -1, [SIZE_GROWTH] = -2, [SIZE_UNKNOWN] = -3};

/* Adds what the sample I allocated at *PLACE, a node, which gets the context.
 */
static void
add_allocations(struct collection *collection, uint32_t i, uint32_t *place)
{
  struct sample_count sample;
  selection_count(&collection->reduction->selection, i, &sample);
  uint32_t chain = chain_of(collection, i, *place);
  int64_t size = sample.size_kind == SIZE_EXACT ? (int64_t)sample.object_bytes
                                                : sizes[sample.size_kind];
  const uint64_t key[] = {chain, sample.type, (uint64_t)size};
  uint32_t row = row_table_add(&collection->context_rows, key,
                               sizeof key / sizeof key[0]);
  struct context *context = &collection->contexts[row];
  context->row = row;
  context->sample_count++;
  context->allocs += sample.counts[MEASURE_ALLOCS];
  context->bytes += sample.counts[MEASURE_BYTES];
  *place = row;
}

/* Adds what the sample I called at NODE: for chains at whose end something
 * was allocated. */
static void
add_calls(struct collection *collection, uint32_t i, uint32_t node)
{
  struct sample_count sample;
  uint32_t chain = chain_of(collection, i, node);
  profile_count(collection->reduction->profile, i, &sample);
  if (chain < collection->chain_count)
    collection->calls[chain] += sample.calls;
}

static void
collect(struct collection *collection)
{
  struct call_tree *tree = &collection->tree;
  size_t count = collection->reduction->profile->sample_count;
  call_tree_of_chains(tree, &collection->reduction->tree,
                      ITEMS_ARE_FUNCTIONS);
  collection->calls = pool_zeroed(count, sizeof *collection->calls);
  collection->contexts = pool_zeroed(count, sizeof *collection->contexts);
  for (uint32_t i = 0; i < count; i++)
    if (tree->of_sample[i] != INDEX_NONE)
      add_allocations(collection, i, &tree->of_sample[i]);
  collection->chain_count = collection->chains.row_count;
  for (size_t i = 0; i < tree->call_count; i++)
    add_calls(collection, tree->calls[i].sample, tree->calls[i].node);
  lists_init(&collection->samples, collection->context_rows.row_count,
             tree->of_sample, count);
}

/* By bytes, then by allocations, descending, then by the first sample. */
static int
compare_contexts(const void *left, const void *right)
{
  const struct context *a = left;
  const struct context *b = right;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  if (a->allocs != b->allocs)
    return a->allocs > b->allocs ? -1 : 1;
  return a->row < b->row ? -1 : 1;
}

static void
write_names(const struct collection *collection, struct sink *sink)
{
  const struct profile *profile = collection->reduction->profile;
  const struct call_graph *graph = &collection->reduction->graph;
  sink_format(sink,
              "(:mprof-contexts :nodes %zu :chains %zu :contexts %zu\n"
              " :functions\n (",
              collection->tree.tree.count - 1, collection->chain_count,
              collection->context_rows.row_count);
  for (size_t i = 0; i < graph->node_count; i++) {
    sink_text(sink, i == 0 ? "" : "\n  ");
    lisp_string(sink, graph->nodes[i].name);
  }
  sink_text(sink, ")\n :types\n (");
  for (uint32_t i = 0; i < profile->type_count; i++) {
    struct writer type = {.sink = sink, .form = FORM_LISP, .first = true};
    sink_text(sink, i == 0 ? "(" : "\n  (");
    writer_type(&type, profile, i);
    sink_text(sink, ")");
  }
  sink_text(sink, ")\n :phases\n (");
  for (int i = 0; i < PHASE_COUNT; i++) {
    sink_text(sink, i == 0 ? "" : " ");
    lisp_string(sink, phase_texts[i].word);
  }
  sink_text(sink, ")\n :threads\n (");
  for (size_t i = 0; i < profile->thread_count; i++) {
    sink_text(sink, i == 0 ? "" : "\n  ");
    lisp_string(sink, profile_thread_name(profile, i));
  }
  sink_text(sink, "))\n");
}

static void
write_tables(const struct collection *collection, struct sink *sink)
{
  const struct call_tree *tree = &collection->tree;
  const struct tree_node *nodes = tree->tree.nodes;
  for (size_t i = 1; i < tree->tree.count; i++)
    sink_format(sink, "%" PRIu32 " %" PRIu32 "\n",
                tree->places[nodes[tree->walk[i]].parent],
                nodes[tree->walk[i]].item);
  size_t length;
  for (size_t i = 0; i < collection->chain_count; i++) {
    const uint64_t *chain = row_table_words(&collection->chains, i, &length);
    bool known = tree->counts[chain[0]].calls != CALLS_UNKNOWN;
    sink_format(sink, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
                tree->places[chain[0]], chain[1], chain[2],
                known ? (int64_t)collection->calls[i] : -1);
  }
  for (size_t i = 0; i < collection->context_rows.row_count; i++) {
    const struct context *context = &collection->contexts[i];
    const uint64_t *row =
        row_table_words(&collection->context_rows, context->row, &length);
    sink_format(sink,
                "%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 " %" PRIu64
                " %" PRIu64,
                row[0], row[1], (int64_t)row[2], context->allocs,
                context->bytes, context->sample_count);
    uint32_t sample = lists_first(&collection->samples, context->row);
    for (; sample != INDEX_NONE;
         sample = lists_next(&collection->samples, sample))
      sink_format(sink, " %" PRIu32, sample);
    sink_text(sink, "\n");
  }
}

void
export_lisp_contexts(const struct reduction *reduction, struct sink *sink)
{
  struct collection collection = {.reduction = reduction};
  collect(&collection);
  array_sort(collection.contexts, collection.context_rows.row_count,
             sizeof *collection.contexts, compare_contexts);
  write_names(&collection, sink);
  write_tables(&collection, sink);
}
