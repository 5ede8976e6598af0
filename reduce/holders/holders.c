/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* See holders.h. */

#include "holders/holders.h"

#include "base/array.h"
#include "holders/dominators.h"
#include "holders/search.h"

#include <stdio.h>

enum { NAME_ROOM = 2000 }; /* of two holders; longer ones are cut */

struct finding {
  struct holders *holders;
  const struct heap_graph *graph;
  holder_fn *name;
  void *closure; /* of that */
  struct search search;
  uint32_t *dominators; /* by node */
  uint32_t *tops;       /* by node: which node just below the roots' dominates
                           it */
  uint32_t *origins;    /* by node: from which root it was reached */
  uint32_t *chains;     /* by node: one of the profile's tree, TREE_ROOT where
                           nothing counted is held */
};

static uint32_t
object_of(const struct finding *f, uint32_t node)
{
  return f->search.objects[node];
}

static bool
is_counted(const struct finding *f, uint32_t node)
{
  return (f->graph->objects[object_of(f, node)].flags & IMAGE_COUNTED) != 0;
}

/* ---- names ------------------------------------------------------------- */

static uint32_t
named(const struct finding *f, uint32_t owner, uint32_t number)
{
  return f->name(f->closure, owner, number);
}

uint32_t
holders_add(struct holders *h, const char *text, struct holder holder)
{
  holder.name = names_intern(&h->profile->names, text);
  const uint32_t number = index_map_number(&h->by_name, holder.name);
  if (number == h->count) {
    const struct profile_line line = {
        .function = profile_add_function(
            h->profile, (struct profile_function){.name = holder.name})};
    holder.location = profile_add_location(
        h->profile, (struct profile_location){.mapping = INDEX_NONE}, &line,
        1);
    ARRAY_PUSH(h->items, h->count, h->capacity, holder);
  }
  return number;
}

static const char *
name_of(const struct holders *h, uint32_t number)
{
  return names_text(&h->profile->names, h->items[number].name);
}

static uint32_t
holder_of_both(struct finding *f, uint32_t a, uint32_t b, bool others)
{
  char text[NAME_ROOM];
  const char *one = name_of(f->holders, a);
  const char *two = name_of(f->holders, b);
  int order = strcmp(one, two);
  if (order == 0)
    snprintf(text, sizeof text, "%s and others", one);
  else
    snprintf(text, sizeof text, others ? "%s, %s and others" : "%s and %s",
             order < 0 ? one : two, order < 0 ? two : one);
  return holders_add(f->holders, text, (struct holder){0});
}

/* ---- chains ------------------------------------------------------------ */

/* The chain to the holder below ABOVE, or up to the holder if it is there
 * already. */
static uint32_t
chain_below(struct finding *f, uint32_t above, uint32_t holder)
{
  struct holders *h = f->holders;
  struct tree *tree = &h->profile->tree;
  const uint32_t location = h->items[holder].location;
  for (uint32_t n = above; n != TREE_ROOT; n = tree->nodes[n].parent)
    if (tree->nodes[n].item == location)
      return n;
  const uint32_t node = tree_child(tree, above, location);
  if (index_map_number(&h->by_node, node) == h->holding_count)
    ARRAY_PUSH(h->holdings, h->holding_count, h->holding_capacity,
               (struct holding){.node = node, .holder = holder});
  return node;
}

static void
count_at(struct finding *f, uint32_t chain, const struct image_object *object)
{
  struct holders *h = f->holders;
  struct holding *holding = &h->holdings[index_map_find(&h->by_node, chain)];
  holding->objects += (object->flags & IMAGE_WHOLE) != 0;
  holding->bytes += object->bytes;
}

/* What is not the collector's has no place in the heap. */
static void
count_outside(struct finding *f, const struct image_object *outside,
              size_t count)
{
  const struct heap_graph *g = f->graph;
  const uint32_t other = chain_below(
      f, TREE_ROOT, named(f, 0, g->roots[g->root_count - 1].holder));
  for (size_t i = 1; i <= count; i++)
    count_at(
        f, chain_below(f, other, named(f, outside[i].owner, outside[i].leaf)),
        &outside[i]);
}

/* ---- what several roots hold ------------------------------------------- */

static void
find_tops(struct finding *f)
{
  const uint32_t *parents = f->search.parents;
  for (uint32_t node = 1; node < f->search.count; node++) {
    const uint32_t dominator = f->dominators[node];
    f->origins[node] = parents[node] == 0 ? node : f->origins[parents[node]];
    f->tops[node] = dominator == 0 ? node : f->tops[dominator];
  }
}

/* That of the root at NODE. */
static uint32_t
holder_at_root(struct finding *f, uint32_t node)
{
  const struct heap_graph *g = f->graph;
  const struct image_object *object = &g->objects[object_of(f, node)];
  return named(f, 0, g->roots[object->leaf].holder);
}

/* Of NODE, which no other dominates: two roots from which it is reached in
 * different ways. */
static uint32_t
holder_of_shared(struct finding *f, uint32_t node)
{
  const struct search *s = &f->search;
  const uint32_t a = f->origins[node];
  uint32_t b = a;
  bool others = false;
  for (uint32_t i = s->first[node]; i < s->first[node + 1]; i++) {
    const uint32_t top = f->tops[s->predecessors[i]];
    const uint32_t root = f->origins[top];
    if (root != a && b == a)
      b = root;
    else if ((root != a && root != b) || top != root)
      others = true;
  }
  return holder_of_both(f, holder_at_root(f, a), holder_at_root(f, b),
                        others || a == b);
}

/* ---- the tree ---------------------------------------------------------- */

static uint32_t
chain_of_node(struct finding *f, uint32_t node)
{
  const uint32_t dominator = f->dominators[node];
  const struct image_object *object = &f->graph->objects[object_of(f, node)];
  uint32_t above = f->chains[dominator];
  if ((object->flags & IMAGE_ROOT_OBJECT) != 0)
    return chain_below(f, TREE_ROOT, holder_at_root(f, node));
  if (dominator == 0)
    above = chain_below(f, TREE_ROOT, holder_of_shared(f, node));
  if ((f->search.flags[object_of(f, node)] & IMAGE_BODY) != 0)
    return above;
  return chain_below(
      f, above,
      named(f, is_counted(f, node) ? object->owner : 0, object->leaf));
}

/* Let the chain be 1, for the time being, of what was counted and of all that
 * holds it: dominators have smaller numbers. */
static void
find_needed(struct finding *f)
{
  for (uint32_t node = f->search.count - 1; node > 0; node--) {
    if (is_counted(f, node))
      f->chains[node] = 1;
    if (f->chains[node] != 0 && f->dominators[node] != 0)
      f->chains[f->dominators[node]] = 1;
  }
}

static void
make_tree(struct finding *f)
{
  find_needed(f);
  for (uint32_t node = 1; node < f->search.count; node++) {
    if (f->chains[node] == 0)
      continue;
    f->chains[node] = chain_of_node(f, node);
    if (is_counted(f, node))
      count_at(f, f->chains[node], &f->graph->objects[object_of(f, node)]);
  }
}

void
holders_find(struct holders *holders, const struct heap_graph *graph,
             const struct image_object *outside, size_t count,
             holder_fn *name, void *closure)
{
  struct finding f = {
      .holders = holders, .graph = graph, .name = name, .closure = closure};
  struct search *s = &f.search;
  count_outside(&f, outside, count);
  search_run(s, graph);
  f.dominators =
      dominators_find(s->count, s->parents, s->first, s->predecessors);
  f.tops = pool_zeroed(s->count, sizeof *f.tops);
  f.origins = pool_zeroed(s->count, sizeof *f.origins);
  f.chains = pool_zeroed(s->count, sizeof *f.chains);
  find_tops(&f);
  make_tree(&f);
  search_free(s);
  pool_free(f.dominators);
  pool_free(f.tops);
  pool_free(f.origins);
  pool_free(f.chains);
}
