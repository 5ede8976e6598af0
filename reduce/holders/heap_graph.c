/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks the objects, references and roots of an image, and makes a graph of
 * them. */

#include "holders/heap_graph.h"

static bool
check_objects(const struct heap_graph *g, size_t reference_count)
{
  for (uint32_t i = 1; i <= g->count; i++)
    if (g->objects[i].references > g->objects[i + 1].references)
      return false;
  return g->objects[g->count + 1].references <= reference_count;
}

static bool
check_references(const struct heap_graph *g)
{
  for (size_t i = g->objects[1].references;
       i < g->objects[g->count + 1].references; i++)
    if (g->references[i] == 0 || g->references[i] > g->count)
      return false;
  for (size_t i = 0; i < g->body_count; i++)
    if (g->bodies[i].object > g->count || g->bodies[i].body == 0 ||
        g->bodies[i].body > g->count)
      return false;
  return true;
}

/* Levels come one after the other, each root once. */
static bool
check_roots(const struct heap_graph *g)
{
  for (uint32_t i = 0; i < g->root_count; i++) {
    const struct image_root *root = &g->roots[i];
    if (root->object == 0 || root->object > g->count ||
        root->level >= IMAGE_LEVELS ||
        (g->objects[root->object].flags & IMAGE_ROOT_OBJECT) == 0 ||
        g->objects[root->object].leaf != i)
      return false;
  }
  for (uint32_t i = 1; i <= g->count; i++)
    if ((g->objects[i].flags & IMAGE_ROOT_OBJECT) != 0 &&
        (g->objects[i].leaf >= g->root_count ||
         g->roots[g->objects[i].leaf].object != i))
      return false;
  return g->root_count > 0 &&
         g->roots[g->root_count - 1].level == IMAGE_LEVELS - 1;
}

bool
heap_graph_init(struct heap_graph *graph, struct heap_array objects,
                struct heap_array references, struct heap_array bodies,
                struct heap_array roots)
{
  const struct image_object *all = objects.records;
  const struct image_body *pairs = bodies.records;
  const struct image_root *named = roots.records;
  if (objects.bytes < 2 * sizeof *all || bodies.bytes < sizeof *pairs ||
      roots.bytes < sizeof *named ||
      all->bytes > objects.bytes / sizeof *all - 2 ||
      pairs->object > bodies.bytes / sizeof *pairs - 1 ||
      named->object > roots.bytes / sizeof *named - 1)
    return false;
  *graph = (struct heap_graph){.objects = all,
                               .count = (uint32_t)all->bytes,
                               .references = references.records,
                               .bodies = pairs + 1,
                               .body_count = pairs->object,
                               .roots = named + 1,
                               .root_count = named->object};
  return check_objects(graph, references.bytes / sizeof(uint32_t)) &&
         check_references(graph) && check_roots(graph);
}
