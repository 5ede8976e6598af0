/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An array of nodes, and a map from parent and location to node.
 */

#include "profile/call_sums.h"

#include "profile/array.h"

#include <string.h>

void
call_sums_release(struct call_sums *sums)
{
  free(sums->nodes);
  free(sums->path);
  index_map_release(&sums->children);
  memset(sums, 0, sizeof *sums);
}

/* Appends NODE; its number, or INDEX_NONE. */
static uint32_t
add_node(struct call_sums *sums, const struct call_node *node)
{
  struct call_node *nodes = array_reserve(sums->nodes, &sums->capacity,
                                          sums->count + 1, sizeof *nodes);
  if (nodes == NULL)
    return INDEX_NONE;
  sums->nodes = nodes;
  if (sums->count >= INDEX_NONE)
    return INDEX_NONE;
  nodes[sums->count] = *node;
  return (uint32_t)sums->count++;
}

uint32_t
call_sums_child(struct call_sums *sums, uint32_t parent, uint32_t location)
{
  uint64_t key = index_pair(parent, location);
  if (sums->count == 0 &&
      add_node(sums, &(struct call_node){.parent = CALL_ROOT}) == INDEX_NONE)
    return INDEX_NONE;
  uint32_t number = index_map_find(&sums->children, key);
  if (number != INDEX_NONE)
    return number;
  number = add_node(sums, &(struct call_node){
                              .parent = parent,
                              .location = location,
                              .length = sums->nodes[parent].length + 1,
                          });
  if (number == INDEX_NONE || !index_map_add(&sums->children, key, number))
    return INDEX_NONE;
  sums->links += sums->nodes[number].length;
  return number;
}

uint32_t
call_sums_step(struct call_sums *sums, size_t depth, uint32_t location)
{
  if (depth < sums->path_length &&
      sums->nodes[sums->path[depth]].location == location)
    return sums->path[depth];
  uint32_t *path = array_reserve(sums->path, &sums->path_capacity, depth + 1,
                                 sizeof *path);
  if (path == NULL)
    return INDEX_NONE;
  sums->path = path;
  path[depth] = call_sums_child(
      sums, depth == 0 ? CALL_ROOT : path[depth - 1], location);
  sums->path_length = path[depth] == INDEX_NONE ? depth : depth + 1;
  return path[depth];
}

void
call_sums_add_up(struct call_sums *sums)
{
  for (size_t i = sums->count; i-- > CALL_ROOT + 1;) {
    const struct call_node *node = &sums->nodes[i];
    sums->nodes[node->parent].below += node->allocs + node->below;
  }
}
