/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which calls count, and how many there are. */

#include "analysis/selection.h"

#include "base/index_map.h"

/* ---- calls outside ---- */

/* Are calls outside of profiled bodies on the way to one, and so of no
 * interest, or elsewhere, say in another thread?
 *
 * A call of a chain that leads to the function that runs bodies, and to no
 * allocation elsewhere, does not count.  The monitor folds recursion, and
 * writes a folded call with a chain that no allocation has; but folding keeps
 * every arc.  So a call of a chain that leads to neither counts if its last
 * arc leads to allocations elsewhere.
 *
 * What a chain leads to is known at the nodes below it: one pass from the
 * last node to the first.
 */
enum leads { TO_ROOT = 1, ELSEWHERE = 2 };

/* Returns the function of the leaf of NODE's chain; INDEX_NONE for none. */
static uint32_t
function_of(const struct selection *selection, uint32_t node)
{
  const struct frame_table *frames = selection->frames;
  uint32_t location = selection->profile->tree.nodes[node].item;
  return node == TREE_ROOT
             ? INDEX_NONE
             : frames->frames[frames->first_frames[location]].function;
}

/* Returns the arc by which the leaf of NODE's chain was called. */
static uint64_t
arc_of(const struct selection *selection, uint32_t node)
{
  uint32_t parent = selection->profile->tree.nodes[node].parent;
  return index_pair(function_of(selection, parent),
                    function_of(selection, node));
}

/* Returns what each node leads to. */
static unsigned char *
find_leads(const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  unsigned char *leads = pool_zeroed(profile->tree.count, 1);
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    uint32_t node = profile->samples[i].node;
    profile_count(profile, i, &count);
    if (!is_below_root(selection, node) &&
        (count.counts[MEASURE_BYTES] != 0 ||
         count.counts[MEASURE_ALLOCS] != 0))
      leads[node] |= ELSEWHERE;
  }
  for (size_t i = profile->tree.count; i-- > TREE_ROOT + 1;)
    leads[profile->tree.nodes[i].parent] |=
        is_below_root(selection, i) ? TO_ROOT : leads[i];
  return leads;
}

/* Finds the samples whose calls are outside and on the way to a body. */
static bool *
find_calls_outside(const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  bool *outside = pool_zeroed(profile->sample_count, sizeof *outside);
  struct index_map arcs = {0}; /* that lead elsewhere */
  unsigned char *leads = find_leads(selection);
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++)
    if ((leads[i] & ELSEWHERE) != 0)
      index_map_number(&arcs, arc_of(selection, (uint32_t)i));
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = profile->samples[i].node;
    bool elsewhere =
        leads[node] != 0
            ? (leads[node] & ELSEWHERE) != 0
            : index_map_find(&arcs, arc_of(selection, node)) != INDEX_NONE;
    outside[i] =
        node != TREE_ROOT && !is_below_root(selection, node) && !elsewhere;
  }
  pool_free(leads);
  return outside;
}

/* ---- all calls ---- */

/* Finds the nodes that lead to an allocation that is chosen, and the arcs of
 * these.  Nodes are NULL if all calls count. */
static bool *
find_chosen(const struct selection *selection, struct index_map *arcs)
{
  const struct profile *profile = selection->profile;
  bool *chosen = NULL;
  if (!selection->by_allocations)
    return NULL;
  chosen = pool_zeroed(profile->tree.count, sizeof *chosen);
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    profile_count(profile, i, &count);
    if ((selection->kept[i] & KEPT_CHOSEN) != 0 &&
        (count.counts[MEASURE_BYTES] != 0 ||
         count.counts[MEASURE_ALLOCS] != 0))
      chosen[profile->samples[i].node] = true;
  }
  for (size_t i = profile->tree.count; i-- > TREE_ROOT + 1;)
    if (chosen[i]) {
      chosen[profile->tree.nodes[i].parent] = true;
      index_map_number(arcs, arc_of(selection, (uint32_t)i));
    }
  return chosen;
}

/* Returns how many functions one call of the chain of NODE calls: the active
 * one and those that were inlined into it, if their calls are counted.  The
 * function that runs a body is none. */
static uint64_t
functions_called(const struct selection *selection, uint32_t node)
{
  const struct frame_table *frames = selection->frames;
  const struct tree_node *n = &selection->profile->tree.nodes[node];
  uint64_t count = 0;
  if (node == TREE_ROOT || (is_below_root(selection, node) &&
                            !is_below_root(selection, n->parent)))
    return 0;
  for (uint32_t f = frames->first_frames[n->item];
       f < frames->first_frames[n->item + 1]; f++)
    count += frames->functions[frames->frames[f].function].calls_known;
  return count;
}

/* Adds up the calls that led to what is chosen, but for those OUTSIDE, if
 * that is known. */
static void
add_up_calls(struct selection *selection, const bool *outside)
{
  const struct profile *profile = selection->profile;
  struct index_map arcs = {0};
  bool *chosen = find_chosen(selection, &arcs);
  for (size_t i = 0; i < profile->sample_count; i++) {
    const uint32_t node = profile->samples[i].node;
    struct sample_count count;
    profile_count(profile, i, &count);
    if (profile->language == LANGUAGE_C)
      selection->calls += (selection->kept[i] & KEPT_CHOSEN) != 0
                              ? count.counts[MEASURE_ALLOCS]
                              : 0;
    else if (selection_keeps_calls(selection, i) &&
             (outside == NULL || !outside[i]) &&
             (chosen == NULL || chosen[node] ||
              index_map_find(&arcs, arc_of(selection, node)) != INDEX_NONE))
      selection->calls += count.calls * functions_called(selection, node);
  }
  pool_free(chosen);
}

void
selection_count_calls(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  bool *outside = selection->has_root ? find_calls_outside(selection) : NULL;
  if (profile_knows(profile, FACT_CALLS) && !selection->by_allocations)
    selection->calls = (uint64_t)profile->facts[FACT_CALLS];
  else
    add_up_calls(selection, outside);
  for (size_t i = 0; outside != NULL && i < profile->sample_count; i++)
    if (outside[i] && selection->cuts)
      selection->kept[i] &= (unsigned char)~KEPT_CALLS;
  pool_free(outside);
}
