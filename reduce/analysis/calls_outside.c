/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls outside of profiled bodies: are they on the way to one, and so of no
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

#include "analysis/selection_match.h"

#include "base/array.h"

enum leads { TO_ROOT = 1, ELSEWHERE = 2 };

/* The function of the leaf of NODE's chain; INDEX_NONE for none. */
static uint32_t
function_of(const struct selection *selection, uint32_t node)
{
  const struct frame_table *frames = selection->frames;
  uint32_t location = selection->profile->tree.nodes[node].item;
  return node == TREE_ROOT
             ? INDEX_NONE
             : frames->frames[frames->first_frames[location]].function;
}

/* The arc by which the leaf of NODE's chain was called. */
static uint64_t
arc_of(const struct selection *selection, uint32_t node)
{
  uint32_t parent = selection->profile->tree.nodes[node].parent;
  return index_pair(function_of(selection, parent),
                    function_of(selection, node));
}

/* Fills LEADS, by node. */
static void
find_leads(const struct selection *selection, unsigned char *leads)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    uint32_t node = profile_end(profile, i);
    profile_count(profile, i, &count);
    if (!is_below_root(selection, node) &&
        (count.counts[MEASURE_BYTES] != 0 ||
         count.counts[MEASURE_ALLOCS] != 0))
      leads[node] |= ELSEWHERE;
  }
  for (size_t i = profile->tree.count; i-- > TREE_ROOT + 1;)
    leads[profile->tree.nodes[i].parent] |=
        is_below_root(selection, i) ? TO_ROOT : leads[i];
}

bool
calls_outside_drop(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  struct index_map arcs = {0}; /* that lead elsewhere */
  unsigned char *leads = array_zeroed(profile->tree.count, 1);
  bool good = leads != NULL;
  if (good)
    find_leads(selection, leads);
  for (size_t i = TREE_ROOT + 1; good && i < profile->tree.count; i++)
    good =
        (leads[i] & ELSEWHERE) == 0 ||
        index_map_number(&arcs, arc_of(selection, (uint32_t)i)) != INDEX_NONE;
  for (size_t i = 0; good && i < profile->sample_count; i++) {
    uint32_t node = profile_end(profile, i);
    bool elsewhere =
        leads[node] != 0
            ? (leads[node] & ELSEWHERE) != 0
            : index_map_find(&arcs, arc_of(selection, node)) != INDEX_NONE;
    if (node != TREE_ROOT && !is_below_root(selection, node) && !elsewhere)
      selection->kept[i] &= (unsigned char)~KEPT_CALLS;
  }
  free(leads);
  index_map_release(&arcs);
  return good;
}
