/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds which calls count, and adds them up. */

#include "analysis/selection.h"

#include "base/index_map.h"

/* ---- what a call leads to ---- */

/* A call counts if it leads to allocations of a kind: those that are chosen;
 * or those outside of profiled bodies, where calls on the way to a body are
 * of no interest, but those elsewhere are, say in another thread.
 *
 * What a chain leads to is known at the nodes below it.  The monitor folds
 * recursion, and writes a folded call with a chain that no allocation has;
 * but folding keeps every arc.  So a call of a chain that leads to nothing
 * counts if its last arc leads to such allocations.
 */
struct leads {
  unsigned char *of_node; /* bits: THERE, and TO_ROOT into a body */
  struct index_map arcs;  /* that lead there */
};
enum { TO_ROOT = 1, THERE = 2 };

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

/* Finds what leads to the allocations that are outside of bodies, with
 * OUTSIDE, or else to those that are chosen. */
static struct leads
find_leads(const struct selection *selection, bool outside)
{
  const struct profile *profile = selection->profile;
  const struct tree *tree = &profile->tree;
  struct leads leads = {pool_zeroed(tree->count, 1), {0}};
  for (size_t i = 0; i < profile->sample_count; i++) {
    const uint32_t node = profile->samples[i].node;
    if ((outside ? !is_below_root(selection, node)
                 : (selection->kept[i] & KEPT_CHOSEN) != 0) &&
        (profile_value(profile, i, MEASURE_BYTES) != 0 ||
         profile_value(profile, i, MEASURE_ALLOCS) != 0))
      leads.of_node[node] |= THERE;
  }
  for (size_t i = tree->count; i-- > TREE_ROOT + 1;)
    leads.of_node[tree->nodes[i].parent] |=
        outside && is_below_root(selection, i) ? TO_ROOT : leads.of_node[i];
  for (size_t i = TREE_ROOT + 1; i < tree->count; i++)
    if ((leads.of_node[i] & THERE) != 0)
      index_map_number(&leads.arcs, arc_of(selection, (uint32_t)i));
  return leads;
}

/* Returns whether a call of the chain of NODE leads there. */
static bool
leads_there(const struct selection *selection, const struct leads *leads,
            uint32_t node)
{
  return leads->of_node[node] != 0
             ? (leads->of_node[node] & THERE) != 0
             : index_map_find(&leads->arcs, arc_of(selection, node)) !=
                   INDEX_NONE;
}

/* Finds the samples whose calls are outside and on the way to a body. */
static bool *
find_calls_outside(const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  bool *outside = pool_zeroed(profile->sample_count, sizeof *outside);
  const struct leads leads = find_leads(selection, true);
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = profile->samples[i].node;
    outside[i] = node != TREE_ROOT && !is_below_root(selection, node) &&
                 !leads_there(selection, &leads, node);
  }
  pool_free(leads.of_node);
  return outside;
}

/* ---- all calls ---- */

/* Returns how many functions one call of the chain of NODE calls: the active
 * one and those that were inlined into it, if their calls are counted.  The
 * function that runs a body does not count. */
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
  struct leads leads = {0};
  if (selection->by_allocations && profile->language != LANGUAGE_C)
    leads = find_leads(selection, false);
  for (size_t i = 0; i < profile->sample_count; i++) {
    const uint32_t node = profile->samples[i].node;
    if (profile->language == LANGUAGE_C)
      selection->calls += (selection->kept[i] & KEPT_CHOSEN) != 0
                              ? profile_value(profile, i, MEASURE_ALLOCS)
                              : 0;
    else if (selection_keeps_calls(selection, i) &&
             (outside == NULL || !outside[i]) &&
             (leads.of_node == NULL || leads_there(selection, &leads, node)))
      selection->calls += profile_value(profile, i, COLUMN_OF_CALLS) *
                          functions_called(selection, node);
  }
  pool_free(leads.of_node);
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
