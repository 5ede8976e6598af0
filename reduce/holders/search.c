/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks the objects, references and roots of an image, then searches through
 * them.  No recursion: lists are long.  The way back is in the parents. */

#include "holders/search.h"

#include "base/pool.h"

/* ---- the graph ----------------------------------------------------------
 */

static bool
check_references(const struct heap_graph *g, size_t reference_count)
{
  for (uint32_t i = 1; i <= g->count; i++)
    if (g->objects[i].references > g->objects[i + 1].references)
      return false;
  if (g->objects[g->count + 1].references > reference_count)
    return false;
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
  return check_references(graph, references.bytes / sizeof(uint32_t)) &&
         check_roots(graph);
}

/* ---- a search -----------------------------------------------------------
 */

struct walk {
  struct search *search;
  const struct heap_graph *graph;
  uint32_t *numbers; /* by object: its node */
  uint32_t *next;    /* by object: which of its references is next */
  uint32_t levels[IMAGE_LEVELS + 1]; /* the first node of each */
};

static uint32_t
begin_of(const struct walk *w, uint32_t object)
{
  return w->graph->objects[object].references;
}

static uint32_t
end_of(const struct walk *w, uint32_t object)
{
  return w->graph->objects[object + 1].references;
}

/* ---- what an object is ------------------------------------------------- */

/* Marks the bodies of OBJECT as parts of it, unless they are known to be
 * objects: what was not counted may only look like an object. */
static void
note_bodies(struct walk *w, uint32_t object)
{
  const struct heap_graph *g = w->graph;
  const uint8_t flags = w->search->flags[object];
  size_t low = 0, high = g->body_count;
  if ((flags & (IMAGE_CONS | IMAGE_BODY)) != 0 ||
      (flags & IMAGE_HAS_BODY) == 0)
    return;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (g->bodies[middle].object < object)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < g->body_count && g->bodies[low].object == object; low++) {
    uint8_t *body = &w->search->flags[g->bodies[low].body];
    if ((*body & (IMAGE_WHOLE | IMAGE_CONS | IMAGE_ROOT_OBJECT)) == 0)
      *body |= IMAGE_BODY;
  }
}

/* ---- the search -------------------------------------------------------- */

static void
visit(struct walk *w, uint32_t object, uint32_t parent)
{
  const uint32_t node = w->search->count++;
  w->numbers[object] = node;
  w->search->objects[node] = object;
  w->search->parents[node] = parent;
  w->next[object] = begin_of(w, object);
  note_bodies(w, object);
}

/* Visits OBJECT, and all that it leads to and that was not visited yet.  Its
 * node becomes a child of PARENT. */
static void
search_from(struct walk *w, uint32_t object, uint32_t parent)
{
  uint32_t node = w->search->count;
  const uint32_t begin = node;
  visit(w, object, parent);
  for (;;) {
    const uint32_t from = w->search->objects[node];
    if (w->next[from] == end_of(w, from)) {
      if (node == begin)
        return;
      node = w->search->parents[node];
    } else {
      const uint32_t to = w->graph->references[w->next[from]++];
      if (w->numbers[to] == 0) {
        visit(w, to, node);
        node = w->numbers[to];
      }
    }
  }
}

/* Visits what no root reaches, as children of OTHER, first objects to which
 * no other of these refers. */
static void
search_others(struct walk *w, uint32_t other)
{
  const uint32_t count = w->graph->count; /* of those, NEXT is 0 still */
  const uint32_t *references = w->graph->references;
  for (uint32_t i = 1; i <= count; i++)
    for (uint32_t r = begin_of(w, i); w->numbers[i] == 0 && r < end_of(w, i);
         r++)
      if (references[r] != i && w->numbers[references[r]] == 0)
        w->next[references[r]] = 1;
  for (uint32_t i = 1; i <= count; i++)
    if (w->numbers[i] == 0 && w->next[i] == 0)
      search_from(w, i, w->numbers[other]);
  for (uint32_t i = 1; i <= count; i++)
    if (w->numbers[i] == 0)
      search_from(w, i, w->numbers[other]);
}

static void
search_levels(struct walk *w)
{
  const struct heap_graph *g = w->graph;
  for (uint32_t level = 0; level < IMAGE_LEVELS; level++) {
    w->levels[level] = w->search->count;
    for (uint32_t i = 0; i < g->root_count; i++)
      if (g->roots[i].level == level && w->numbers[g->roots[i].object] == 0)
        search_from(w, g->roots[i].object, 0);
  }
  search_others(w, g->roots[g->root_count - 1].object);
  w->levels[IMAGE_LEVELS] = w->search->count;
}

/* ---- predecessors ------------------------------------------------------ */

/* Goes through the references that count: to another node, and not to one of
 * an earlier level.  With PREDECESSORS NULL it counts them in first[node],
 * else it puts the node that each is from before where first[node] is. */
static void
each_reference(struct walk *w, uint32_t *first, uint32_t *predecessors)
{
  uint32_t level = 0;
  for (uint32_t node = 1; node < w->search->count; node++) {
    const uint32_t from = w->search->objects[node];
    while (node >= w->levels[level + 1])
      level++;
    for (uint32_t r = begin_of(w, from); r < end_of(w, from); r++) {
      const uint32_t to = w->numbers[w->graph->references[r]];
      if (to < w->levels[level] || to == node)
        continue;
      if (predecessors == NULL)
        first[to]++;
      else
        predecessors[--first[to]] = node;
    }
  }
}

/* ---- the whole --------------------------------------------------------- */

void
search_run(struct search *search, const struct heap_graph *graph)
{
  const size_t count = graph->count + (size_t)2;
  struct walk w = {.search = search,
                   .graph = graph,
                   .numbers = pool_zeroed(count, sizeof *w.numbers),
                   .next = pool_zeroed(count, sizeof *w.next)};
  search->count = 1;
  search->objects = pool_zeroed(count, sizeof *search->objects);
  search->parents = pool_zeroed(count, sizeof *search->parents);
  search->flags = pool_zeroed(count, 1);
  for (uint32_t i = 1; i <= graph->count; i++)
    search->flags[i] =
        (uint8_t)(graph->objects[i].flags & ~(uint32_t)IMAGE_BODY);
  search_levels(&w);
  search->first =
      pool_zeroed(search->count + (size_t)1, sizeof *search->first);
  each_reference(&w, search->first, NULL);
  for (uint32_t node = 0; node < search->count; node++)
    search->first[node + 1] += search->first[node]; /* where its own end */
  search->predecessors =
      pool_zeroed(search->first[search->count], sizeof *search->predecessors);
  each_reference(&w, search->first, search->predecessors);
  pool_free(w.numbers);
  pool_free(w.next);
}

void
search_free(struct search *search)
{
  pool_free(search->objects);
  pool_free(search->parents);
  pool_free(search->first);
  pool_free(search->predecessors);
  pool_free(search->flags);
}
