/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call chains for a Lisp reader, made to be read fast: one expression
 * with all names, then integers in three tables, a row a line.
 *
 *   (:mprof-contexts :nodes N :chains M :contexts K :functions (s...)
 *    :types ((type)...) :phases (s...) :threads (s...))
 *   PARENT FUNCTION                           N times
 *   NODE PHASE THREAD CALLS                   M times
 *   CHAIN TYPE SIZE ALLOCATIONS BYTES COUNT SAMPLE...    K times
 *
 * A node is a path of functions from the root that show; its parent, which
 * comes before it, is the path without the last function.  Nodes count from
 * 1, and 0 is the empty path, which is not written.  A chain is what happened
 * on a path in one phase and one thread; its calls are those of its last
 * function, -1 when they are not known.  A context is what was allocated
 * there of one type and one size, -1 standing for different sizes above 2048
 * bytes, -2 for bodies that grew and -3 for a size that is not known; and the
 * numbers of the samples that say so.  Other numbers count from 0.  Contexts
 * are sorted by bytes, then by allocations, descending, then by the first
 * sample.
 *
 * Linear in the frames, but for sorting.
 */

#include "base/array.h"
#include "base/quote.h"
#include "base/row_table.h"
#include "export/export.h"
#include "tables/chain_tree.h"
#include "tables/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { NO_SAMPLE = -1 };

struct context {
  uint32_t chain, type;
  int64_t size;
  uint64_t allocs, bytes;
  uint64_t sample_count;
  int64_t first_sample, last_sample;
};

struct collection {
  const struct reduction *reduction;
  struct chain_tree tree;
  struct row_table chains; /* node of the tree, phase, thread */
  uint64_t *calls;         /* of the chains that count: the first ones */
  size_t chain_count, chain_capacity;
  struct row_table context_keys; /* chain, type, size */
  struct context *contexts;
  size_t context_count, context_capacity;
  int64_t *next_samples; /* by sample: the next one of its context */
};

/* The chain at NODE of the sample with this NUMBER, which may be a new one;
 * ROW_NONE when memory runs out. */
static uint32_t
find_chain(struct collection *collection, size_t number, uint32_t node)
{
  const struct reduction *reduction = collection->reduction;
  const struct profile *profile = reduction->profile;
  const uint64_t key[] = {
      node, selection_phase(&reduction->selection, number),
      profile->labels[profile->samples[number].labels].thread};
  return row_table_add(&collection->chains, key, sizeof key / sizeof key[0]);
}

/* The same; it counts then. */
static uint32_t
make_chain(struct collection *collection, size_t number, uint32_t node)
{
  uint32_t chain = find_chain(collection, number, node);
  if (chain != collection->chain_count)
    return chain;
  uint64_t *calls =
      array_reserve(collection->calls, &collection->chain_capacity,
                    collection->chain_count + 1, sizeof *calls);
  if (calls == NULL)
    return ROW_NONE;
  bool known = collection->tree.nodes[node].calls != CALLS_UNKNOWN;
  collection->calls = calls;
  calls[collection->chain_count++] = known ? 0 : CALLS_UNKNOWN;
  return chain;
}

static int64_t
size_of_objects(const struct sample_count *sample)
{
  switch (sample->size_kind) {
  case SIZE_LARGE:
    return -1;
  case SIZE_GROWTH:
    return -2;
  case SIZE_UNKNOWN:
    return -3;
  default:
    return (int64_t)sample->object_bytes;
  }
}

/* The context of SAMPLE, which has this NUMBER, on CHAIN, made when it is
 * new; ROW_NONE when memory runs out. */
static uint32_t
context_of_sample(struct collection *collection,
                  const struct sample_count *sample, size_t number,
                  uint32_t chain)
{
  int64_t size = size_of_objects(sample);
  const uint64_t key[] = {chain, sample->type, (uint64_t)size};
  uint32_t index = row_table_add(&collection->context_keys, key,
                                 sizeof key / sizeof key[0]);
  if (index != collection->context_count)
    return index;
  struct context *contexts =
      array_reserve(collection->contexts, &collection->context_capacity,
                    collection->context_count + 1, sizeof *contexts);
  if (contexts == NULL)
    return ROW_NONE;
  collection->contexts = contexts;
  contexts[collection->context_count++] =
      (struct context){.chain = chain,
                       .type = sample->type,
                       .size = size,
                       .first_sample = (int64_t)number,
                       .last_sample = NO_SAMPLE};
  return index;
}

static bool
add_allocations(struct collection *collection, size_t number)
{
  struct sample_count sample;
  selection_count(&collection->reduction->selection, number, &sample);
  uint32_t chain =
      make_chain(collection, number, collection->tree.of_sample[number]);
  if (chain == ROW_NONE)
    return false;
  uint32_t index = context_of_sample(collection, &sample, number, chain);
  if (index == ROW_NONE)
    return false;
  struct context *context = &collection->contexts[index];
  context->allocs += sample.counts[MEASURE_ALLOCS];
  context->bytes += sample.counts[MEASURE_BYTES];
  context->sample_count++;
  if (context->last_sample != NO_SAMPLE)
    collection->next_samples[context->last_sample] = (int64_t)number;
  context->last_sample = (int64_t)number;
  return true;
}

/* Calls count for chains at whose end something was allocated. */
static bool
collect(struct collection *collection)
{
  const struct reduction *reduction = collection->reduction;
  const struct profile *profile = reduction->profile;
  collection->next_samples =
      array_zeroed(profile->sample_count, sizeof *collection->next_samples);
  if (!chain_tree_init(&collection->tree, reduction, CHAIN_OF_FUNCTIONS) ||
      collection->next_samples == NULL)
    return false;
  for (size_t i = 0; i < profile->sample_count; i++)
    if (collection->tree.of_sample[i] != INDEX_NONE &&
        !add_allocations(collection, i))
      return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = collection->tree.of_calls[i];
    if (node == INDEX_NONE)
      continue;
    uint32_t chain = find_chain(collection, i, node);
    struct sample_count count;
    profile_count(profile, i, &count);
    if (chain == ROW_NONE)
      return false;
    if (chain < collection->chain_count)
      collection->calls[chain] =
          calls_add(collection->calls[chain], count.calls);
  }
  return true;
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
  return a->first_sample < b->first_sample ? -1 : 1;
}

static void
write_names(const struct collection *collection, struct sink *sink)
{
  const struct profile *profile = collection->reduction->profile;
  const struct call_graph *graph = &collection->reduction->graph;
  sink_format(sink,
              "(:mprof-contexts :nodes %zu :chains %zu :contexts %zu\n"
              " :functions\n (",
              collection->tree.count, collection->chain_count,
              collection->context_count);
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
    lisp_string(sink, phase_word((enum phase)i));
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
  for (size_t i = 0; i < collection->tree.count; i++) {
    const struct chain_node *node = &collection->tree.nodes[i];
    sink_format(sink, "%" PRIu32 " %" PRIu32 "\n",
                node->parent == INDEX_NONE ? 0 : node->parent + 1,
                node->item);
  }
  for (size_t i = 0; i < collection->chain_count; i++) {
    size_t length;
    const uint64_t *chain = row_table_words(&collection->chains, i, &length);
    uint64_t calls = collection->calls[i];
    sink_format(sink, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
                chain[0] + 1, chain[1], chain[2],
                calls == CALLS_UNKNOWN ? -1 : (int64_t)calls);
  }
  for (size_t i = 0; i < collection->context_count; i++) {
    const struct context *context = &collection->contexts[i];
    sink_format(sink,
                "%" PRIu32 " %" PRIu32 " %" PRId64 " %" PRIu64 " %" PRIu64
                " %" PRIu64,
                context->chain, context->type, context->size, context->allocs,
                context->bytes, context->sample_count);
    int64_t sample = context->first_sample;
    for (uint64_t j = 0; j < context->sample_count; j++) {
      sink_format(sink, " %" PRId64, sample);
      sample = collection->next_samples[sample];
    }
    sink_text(sink, "\n");
  }
}

void
export_lisp_contexts(const struct reduction *reduction, struct sink *sink)
{
  struct collection collection = {.reduction = reduction};
  if (collect(&collection)) {
    array_sort(collection.contexts, collection.context_count,
               sizeof *collection.contexts, compare_contexts);
    write_names(&collection, sink);
    write_tables(&collection, sink);
  } else {
    sink_fail(sink, ENOMEM);
  }
  chain_tree_release(&collection.tree);
  free(collection.calls);
  free(collection.contexts);
  free(collection.next_samples);
  row_table_release(&collection.chains);
  row_table_release(&collection.context_keys);
}
