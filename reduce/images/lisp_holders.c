/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who holds what is alive of the objects that were counted, as samples.
 *
 * Model.  An object is *held* by its dominators (dominators.h): if one of
 * them went, it would go.  From a root to the object they are a chain, as the
 * callers of an allocation are.  Objects of one type that one function
 * allocated are one *holder* of it, and so are those of one type that were
 * there before: a holder is its name, and what has the same one is the same.
 * Holders are to that chain what functions are to a chain of calls: each is a
 * location and a function of its own, and chains are nodes of the tree.  A
 * holder that is on the chain already goes on from there, so that a list is
 * one holder however long it is.
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *     (VECTOR T) by MY-APP::LOAD     what a function allocated
 *
 * What several roots hold, and would lose only if all of them went, has a
 * holder of its own, which names two of them.
 */

#include "images/building.h"

#include "common/system_functions.h"
#include "holders/dominators.h"
#include "holders/search.h"

#include <stdio.h>

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

struct holder {
  uint32_t name;           /* of the names of the profile, and ... */
  uint32_t location;       /* ... the location that stands for it there */
  struct object_type type; /* of its objects; all zero: it is none */
};

/* A chain of holders from a root, and what the last one holds of its own. */
struct holding {
  uint32_t node;   /* of the tree of the profile */
  uint32_t holder; /* the last one */
  uint64_t objects, bytes;
};

struct finding {
  struct building *b;
  struct profile *profile; /* its */
  struct heap_graph graph;
  struct search search;
  uint32_t *dominators; /* by node */
  uint32_t *tops;       /* by node: which node just below the roots' dominates
                           it */
  uint32_t *origins;    /* by node: from which root it was reached */
  uint32_t *chains;     /* by node: one of the profile's tree, TREE_ROOT where
                           nothing counted is held */
  struct holder *holders;
  size_t holder_count, holder_capacity;
  struct holding *holdings;
  size_t holding_count, holding_capacity;
  struct index_map by_name, known; /* numbers of holders, the second by owner
                                      and leaf, or note */
  struct index_map by_node; /* numbers of holdings, by that of the tree */
};

static const struct image_object *
object_of(const struct finding *f, uint32_t node)
{
  return &f->graph.objects[f->search.objects[node]];
}

static bool
is_counted(const struct finding *f, uint32_t node)
{
  return (object_of(f, node)->flags & IMAGE_COUNTED) != 0;
}

/* ---- names ------------------------------------------------------------- */

/* Returns the name of FUNCTION if that shows; *OWN: it is not ECL's. */
static const char *
shown_name(struct building *b, uint32_t function, bool *own)
{
  *own = false;
  if ((function & FUNCTION_NUMBER) == 0 || (function & FUNCTION_HIDDEN) != 0)
    return NULL;
  const struct building_function f =
      lisp_function_at(b, function & FUNCTION_NUMBER);
  *own = !is_system_function(f.name, f.file == NULL ? "" : f.file);
  return f.name;
}

/* Sets NAME to the innermost function on the path of a leaf that is the
 * program's, or else that shows, or else to "". */
static void
function_name(struct building *b, const struct context_tree *tree,
              const struct leaf *leaf, char name[NAME_ROOM])
{
  uint32_t function = (leaf->site & SITE_SPECIAL) != 0 ? 0 : leaf->function;
  uint32_t up = leaf->up;
  name[0] = '\0';
  for (bool own;; up = tree->contexts[up].parent) {
    const char *shown = shown_name(b, function, &own);
    if (shown != NULL && (own || name[0] == '\0'))
      snprintf(name, NAME_ROOM, "%s", shown);
    if (own || up < CONTEXT_FIRST)
      return;
    function = tree->contexts[up].function;
  }
}

/* Returns the number of the holder called TEXT; a new one has TYPE. */
static uint32_t
add_holder(struct finding *f, const char *text, struct object_type type)
{
  const struct building_function function = {.name = text, .system_name = ""};
  struct holder holder = {.name = building_name(f->b, text), .type = type};
  const uint32_t number = index_map_number(&f->by_name, holder.name);
  if (number == f->holder_count) {
    holder.location = building_location(f->b, 0, &function, 0, 0);
    ARRAY_ADD(f, holder, holder);
  }
  return number;
}

static uint32_t
add_leaf(struct finding *f, uint32_t owner, uint32_t number)
{
  const struct image *image = f->b->image;
  const struct context_tree *tree = NULL;
  char function[NAME_ROOM];
  char text[2 * NAME_ROOM];
  for (size_t i = 0; i < image->tree_count; i++)
    if (image->trees[i].owner == owner)
      tree = &image->trees[i].tree;
  if (tree == NULL || number < LEAF_OVERFLOW || number >= tree->leaf_count)
    return add_holder(f, "[unknown]", (struct object_type){0});
  const struct leaf *leaf = &tree->leaves[number];
  const struct object_type type =
      lisp_type_of(f->b, context_tree_kind(tree, leaf));
  function_name(f->b, tree, leaf, function);
  snprintf(text, sizeof text, "%s%s%s",
           type.class != NULL ? type.class : type.type,
           function[0] != '\0' ? " by " : "", function);
  text[NAME_ROOM - 1] = '\0';
  return add_holder(f, text, type);
}

static uint32_t
add_note(struct finding *f, uint32_t number)
{
  const struct note *note =
      image_note_find(&f->b->notes, NOTE_HOLDER, number);
  struct object_type type = {0};
  if (note != NULL && note->value >> NOTE_CATEGORY_SHIFT != 0) {
    type = lisp_type_of(f->b, &(struct kind){.what = (uint32_t)note->value});
    type.category = ((note->value >> NOTE_CATEGORY_SHIFT) - 1) & 3;
  }
  return add_holder(f, note == NULL ? "[unknown]" : note->text, type);
}

/* Returns the number of that which objects of the leaf NUMBER of the tree of
 * OWNER are or, where OWNER is 0, of that with this number in the image.
 * Each is named once. */
static uint32_t
holder_at(struct finding *f, uint32_t owner, uint32_t number)
{
  const uint64_t key = index_pair(owner, number);
  uint32_t holder = index_map_find(&f->known, key);
  if (holder == INDEX_NONE) {
    holder = owner == 0 ? add_note(f, number) : add_leaf(f, owner, number);
    index_map_add(&f->known, key, holder);
  }
  return holder;
}

static uint32_t
holder_of_both(struct finding *f, uint32_t a, uint32_t b, bool others)
{
  const struct names *names = &f->profile->names;
  char text[2 * NAME_ROOM];
  const char *one = names_text(names, f->holders[a].name);
  const char *two = names_text(names, f->holders[b].name);
  int order = strcmp(one, two);
  if (order == 0)
    snprintf(text, sizeof text, "%s and others", one);
  else
    snprintf(text, sizeof text, others ? "%s, %s and others" : "%s and %s",
             order < 0 ? one : two, order < 0 ? two : one);
  return add_holder(f, text, (struct object_type){0});
}

/* ---- chains ------------------------------------------------------------ */

/* Returns the chain to HOLDER below ABOVE, or the part of it up to HOLDER. */
static uint32_t
chain_below(struct finding *f, uint32_t above, uint32_t holder)
{
  struct tree *tree = &f->profile->tree;
  const uint32_t location = f->holders[holder].location;
  for (uint32_t n = above; n != TREE_ROOT; n = tree->nodes[n].parent)
    if (tree->nodes[n].item == location)
      return n;
  const uint32_t node = tree_child(tree, above, location);
  if (index_map_number(&f->by_node, node) == f->holding_count)
    ARRAY_ADD(f, holding, (struct holding){.node = node, .holder = holder});
  return node;
}

static void
count_at(struct finding *f, uint32_t chain, const struct image_object *object)
{
  struct holding *holding = &f->holdings[index_map_find(&f->by_node, chain)];
  holding->objects += (object->flags & IMAGE_WHOLE) != 0;
  holding->bytes += object->bytes;
}

/* Counts what is OUTSIDE, records 1 to COUNT, not the collector's: it has no
 * place in the heap. */
static void
count_outside(struct finding *f, const struct image_object *outside,
              size_t count)
{
  const struct heap_graph *g = &f->graph;
  const uint32_t other = chain_below(
      f, TREE_ROOT, holder_at(f, 0, g->roots[g->root_count - 1].holder));
  for (size_t i = 1; i <= count; i++)
    count_at(f,
             chain_below(f, other,
                         holder_at(f, outside[i].owner, outside[i].leaf)),
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

/* Returns that of the root at NODE. */
static uint32_t
holder_at_root(struct finding *f, uint32_t node)
{
  return holder_at(f, 0, f->graph.roots[object_of(f, node)->leaf].holder);
}

/* Returns a holder for NODE, which no other dominates: it names two roots
 * from which it is reached in different ways. */
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
  const struct image_object *object = object_of(f, node);
  uint32_t above = f->chains[dominator];
  if ((object->flags & IMAGE_ROOT_OBJECT) != 0)
    return chain_below(f, TREE_ROOT, holder_at_root(f, node));
  if (dominator == 0)
    above = chain_below(f, TREE_ROOT, holder_of_shared(f, node));
  if ((f->search.flags[f->search.objects[node]] & IMAGE_BODY) != 0)
    return above;
  return chain_below(
      f, above,
      holder_at(f, is_counted(f, node) ? object->owner : 0, object->leaf));
}

/* Let the chain be 1, for the time being, of what was counted and of all that
 * holds it: dominators have smaller numbers. */
static void
make_tree(struct finding *f)
{
  for (uint32_t node = f->search.count - 1; node > 0; node--) {
    if (is_counted(f, node))
      f->chains[node] = 1;
    if (f->chains[node] != 0 && f->dominators[node] != 0)
      f->chains[f->dominators[node]] = 1;
  }
  for (uint32_t node = 1; node < f->search.count; node++) {
    if (f->chains[node] == 0)
      continue;
    f->chains[node] = chain_of_node(f, node);
    if (is_counted(f, node))
      count_at(f, f->chains[node], object_of(f, node));
  }
}

static void
find_chains(struct finding *f)
{
  struct search *s = &f->search;
  search_run(s, &f->graph);
  f->dominators =
      dominators_find(s->count, s->parents, s->first, s->predecessors);
  f->tops = pool_zeroed(s->count, sizeof *f->tops);
  f->origins = pool_zeroed(s->count, sizeof *f->origins);
  f->chains = pool_zeroed(s->count, sizeof *f->chains);
  find_tops(f);
  make_tree(f);
  search_free(s);
  pool_free(f->dominators);
  pool_free(f->tops);
  pool_free(f->origins);
  pool_free(f->chains);
}

/* ---- samples ----------------------------------------------------------- */

static void
add_samples(struct finding *f)
{
  for (size_t i = 0; i < f->holding_count; i++) {
    const struct holding *own = &f->holdings[i];
    const struct object_type type = f->holders[own->holder].type;
    const uint64_t values[PPROF_COLUMNS] = {
        [PPROF_HELD_COUNT] = own->objects, [PPROF_HELD_BYTES] = own->bytes};
    if (own->objects == 0 && own->bytes == 0)
      continue;
    sample_begin(&f->b->reading);
    if (type.type != NULL)
      object_type_label(f->b, type);
    building_put(f->b, own->node, NULL, values);
  }
}

/* ---- the whole ----------------------------------------------------------
 */

static struct heap_array
array_of(const struct building *b, enum image_kind kind)
{
  struct heap_array array;
  array.records = image_array(b->image, kind, 0, &array.bytes);
  return array;
}

void
lisp_add_holdings(struct building *b)
{
  const struct heap_array outside = array_of(b, IMAGE_OUTSIDE);
  const struct image_object *others = outside.records;
  struct finding f = {.b = b, .profile = b->reading.profile};
  if (!heap_graph_init(&f.graph, array_of(b, IMAGE_OBJECTS),
                       array_of(b, IMAGE_REFERENCES),
                       array_of(b, IMAGE_BODIES), array_of(b, IMAGE_ROOTS)) ||
      outside.bytes < sizeof *others ||
      others->bytes > outside.bytes / sizeof *others - 1)
    image_fault(b->image, MPROF_NO_OFFSET, "its graph of objects is invalid");
  count_outside(&f, others, others->bytes);
  find_chains(&f);
  add_samples(&f);
}
