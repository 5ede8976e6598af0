/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a chain leads to is known at the nodes below it: one pass from the
 * last node to the first. */

#include "analysis/calls_outside.h"

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

static bool
is_below_root(const struct selection *selection, size_t node)
{
  return (selection->flags[node] & CHAIN_BELOW_ROOT) != 0;
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

/* Fills ARCS with those that lead elsewhere. */
static bool
find_arcs(const struct selection *selection, const unsigned char *leads,
          struct index_map *arcs)
{
  for (size_t i = TREE_ROOT + 1; i < selection->profile->tree.count; i++) {
    if ((leads[i] & ELSEWHERE) == 0)
      continue;
    uint64_t arc = arc_of(selection, (uint32_t)i);
    if (index_map_find(arcs, arc) == INDEX_NONE &&
        !index_map_add(arcs, arc, 0))
      return false;
  }
  return true;
}

static void
mark_nodes(struct selection *selection, const unsigned char *leads,
           const struct index_map *arcs)
{
  for (size_t i = TREE_ROOT + 1; i < selection->profile->tree.count; i++)
    if (!is_below_root(selection, i) &&
        (leads[i] != 0
             ? (leads[i] & ELSEWHERE) == 0
             : index_map_find(arcs, arc_of(selection, (uint32_t)i)) ==
                   INDEX_NONE))
      selection->states[i] |= CALLS_DO_NOT_COUNT;
}

bool
calls_outside_find(struct selection *selection)
{
  size_t functions = selection->frames->function_count;
  struct index_map arcs = {0};
  bool any = false;
  for (size_t i = 0; i < functions; i++)
    any = any || selection->roots[i];
  if (!any || !selection->cuts)
    return true;
  unsigned char *leads = array_zeroed(selection->profile->tree.count, 1);
  bool good = leads != NULL;
  if (good) {
    find_leads(selection, leads);
    good = find_arcs(selection, leads, &arcs);
  }
  if (good)
    mark_nodes(selection, leads, &arcs);
  free(leads);
  index_map_release(&arcs);
  return good;
}
