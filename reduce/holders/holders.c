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
  uint32_t *paths;      /* by node; 0 where nothing counted is held */
  bool failed;
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

void
holders_release(struct holders *holders)
{
  names_release(&holders->names);
  index_map_release(&holders->by_name);
  index_map_release(&holders->by_path);
  pool_free(holders->items);
  pool_free(holders->holdings);
  *holders = (struct holders){0};
}

uint32_t
holders_add(struct holders *h, const char *text, struct holder holder)
{
  if (h->names.count == 0 && !names_init(&h->names))
    return 0;
  holder.name = names_intern(&h->names, text);
  uint32_t number = holder.name == NAMES_NONE
                        ? INDEX_NONE
                        : index_map_number(&h->by_name, holder.name);
  if (number == INDEX_NONE ||
      (number == h->count &&
       !ARRAY_PUSH(h->items, h->count, h->capacity, holder)))
    return 0;
  return number + 1;
}

const char *
holders_name(const struct holders *holders, uint32_t number)
{
  return names_text(&holders->names, holders->items[number - 1].name);
}

static uint32_t
holder_of_both(struct finding *f, uint32_t a, uint32_t b, bool others)
{
  char text[NAME_ROOM];
  if (a == 0 || b == 0)
    return 0;
  const char *one = holders_name(f->holders, a);
  const char *two = holders_name(f->holders, b);
  int order = strcmp(one, two);
  if (order == 0)
    snprintf(text, sizeof text, "%s and others", one);
  else
    snprintf(text, sizeof text, others ? "%s, %s and others" : "%s and %s",
             order < 0 ? one : two, order < 0 ? two : one);
  return holders_add(f->holders, text, (struct holder){0});
}

/* ---- paths ------------------------------------------------------------- */

/* The path to the holder below ABOVE, or where the holder is on it. */
static uint32_t
path_below(struct finding *f, uint32_t above, uint32_t holder)
{
  struct holders *h = f->holders;
  const struct holding new = {.above = above, .holder = holder};
  for (uint32_t p = above; p != 0; p = h->holdings[p - 1].above)
    if (h->holdings[p - 1].holder == holder)
      return p;
  uint32_t number =
      holder == 0 ? INDEX_NONE
                  : index_map_number(&h->by_path, index_pair(above, holder));
  if (number == INDEX_NONE || (number == h->holding_count &&
                               !ARRAY_PUSH(h->holdings, h->holding_count,
                                           h->holding_capacity, new))) {
    f->failed = true;
    return 0;
  }
  return number + 1;
}

static void
count_at(struct finding *f, uint32_t path, const struct image_object *object)
{
  if (path == 0)
    return;
  struct holding *holding = &f->holders->holdings[path - 1];
  holding->objects += (object->flags & IMAGE_WHOLE) != 0;
  holding->bytes += object->bytes;
}

/* What is not the collector's has no place in the heap. */
static void
count_outside(struct finding *f, const struct image_object *outside,
              size_t count)
{
  const struct heap_graph *g = f->graph;
  const uint32_t other =
      path_below(f, 0, named(f, 0, g->roots[g->root_count - 1].holder));
  for (size_t i = 1; i <= count && !f->failed; i++)
    count_at(
        f, path_below(f, other, named(f, outside[i].owner, outside[i].leaf)),
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
  return (object->flags & IMAGE_ROOT_OBJECT) == 0
             ? 0
             : named(f, 0, g->roots[object->leaf].holder);
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
path_of_node(struct finding *f, uint32_t node)
{
  const uint32_t dominator = f->dominators[node];
  const struct image_object *object = &f->graph->objects[object_of(f, node)];
  uint32_t above = f->paths[dominator];
  if ((object->flags & IMAGE_ROOT_OBJECT) != 0)
    return path_below(f, 0, holder_at_root(f, node));
  if (dominator == 0)
    above = path_below(f, 0, holder_of_shared(f, node));
  if ((f->search.flags[object_of(f, node)] & IMAGE_BODY) != 0)
    return above;
  return path_below(
      f, above,
      named(f, is_counted(f, node) ? object->owner : 0, object->leaf));
}

/* Let the path be 1, for the time being, of what was counted and of all that
 * holds it: dominators have smaller numbers. */
static void
find_needed(struct finding *f)
{
  for (uint32_t node = f->search.count - 1; node > 0; node--) {
    if (is_counted(f, node))
      f->paths[node] = 1;
    if (f->paths[node] != 0 && f->dominators[node] != 0)
      f->paths[f->dominators[node]] = 1;
  }
}

static void
make_tree(struct finding *f)
{
  find_needed(f);
  for (uint32_t node = 1; node < f->search.count && !f->failed; node++) {
    if (f->paths[node] == 0)
      continue;
    f->paths[node] = path_of_node(f, node);
    if (is_counted(f, node))
      count_at(f, f->paths[node], &f->graph->objects[object_of(f, node)]);
  }
}

static bool
find_dominators(struct finding *f)
{
  const struct search *s = &f->search;
  if (!search_run(&f->search, f->graph))
    return false;
  f->dominators =
      dominators_find(s->count, s->parents, s->first, s->predecessors);
  f->tops = array_zeroed(s->count, sizeof *f->tops);
  f->origins = array_zeroed(s->count, sizeof *f->origins);
  f->paths = array_zeroed(s->count, sizeof *f->paths);
  return f->dominators != NULL && f->tops != NULL && f->origins != NULL &&
         f->paths != NULL;
}

bool
holders_find(struct holders *holders, const struct heap_graph *graph,
             const struct image_object *outside, size_t count,
             holder_fn *name, void *closure)
{
  struct finding f = {
      .holders = holders, .graph = graph, .name = name, .closure = closure};
  count_outside(&f, outside, count);
  bool good = !f.failed && find_dominators(&f);
  if (good) {
    find_tops(&f);
    make_tree(&f);
  }
  search_release(&f.search);
  pool_free(f.dominators);
  pool_free(f.tops);
  pool_free(f.origins);
  pool_free(f.paths);
  return good && !f.failed;
}
