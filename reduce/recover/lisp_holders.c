/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What holds the live objects of a Lisp program, as samples: a chain of
 * holders, the innermost first, where others have one of calls.  A holder is a
 * location and a function of one number, which no others have.
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *     (VECTOR T) by MY-APP::LOAD     what a function allocated
 */

#include "recover/lisp_recovery.h"

#include "common/system_functions.h"
#include "holders/holders.h"

#include <stdio.h>

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

struct naming {
  struct lisp_recovery *recovery;
  struct holders *holders;
  struct index_map leaves; /* holders by owner and leaf */
  struct index_map notes;  /* the same by the numbers of notes */
};

/* ---- names of leaves --------------------------------------------------- */

/* The name of a function that shows; *OWN: it is not one of ECL's. */
static const char *
shown_name(struct lisp_recovery *r, uint32_t function, char room[300],
           bool *own)
{
  *own = false;
  if ((function & FUNCTION_NUMBER) == 0 || (function & FUNCTION_HIDDEN) != 0)
    return NULL;
  const struct lisp_function f =
      lisp_function_at(r, function & FUNCTION_NUMBER, room);
  *own = !is_system_function(f.name, f.file == NULL ? "" : f.file);
  return f.name;
}

/* Sets NAME to the innermost function on the path of a leaf that is the
 * program's, or else that shows.  False: there is none. */
static bool
function_name(struct lisp_recovery *r, const struct context_tree *tree,
              const struct leaf *leaf, char name[NAME_ROOM])
{
  char room[300];
  bool own = false;
  const char *shown = (leaf->site & SITE_SPECIAL) != 0
                          ? NULL
                          : shown_name(r, leaf->function, room, &own);
  const bool any = shown != NULL;
  snprintf(name, NAME_ROOM, "%s", any ? shown : "");
  for (uint32_t c = leaf->up; !own && c >= CONTEXT_FIRST;
       c = tree->contexts[c].parent) {
    const char *caller =
        shown_name(r, tree->contexts[c].function, room, &own);
    if (caller != NULL && (own || name[0] == '\0'))
      snprintf(name, NAME_ROOM, "%s", caller);
  }
  return name[0] != '\0';
}

static const struct context_tree *
find_tree(const struct lisp_recovery *r, uint32_t owner)
{
  for (size_t i = 0; i < r->image->tree_count; i++)
    if (r->image->trees[i].owner == owner)
      return &r->image->trees[i].tree;
  return NULL;
}

static uint32_t
name_leaf(struct naming *n, uint32_t owner, uint32_t number)
{
  struct lisp_recovery *r = n->recovery;
  const struct context_tree *tree = find_tree(r, owner);
  char function[NAME_ROOM];
  char text[2 * NAME_ROOM];
  if (tree == NULL || number < LEAF_OVERFLOW || number >= tree->leaf_count)
    return holders_add(n->holders, "[unknown]", (struct holder){0});
  const struct leaf *leaf = &tree->leaves[number];
  const struct kind *kind = context_tree_kind(tree, leaf);
  const char *class = lisp_class_name(r, kind);
  const bool any = function_name(r, tree, leaf, function);
  snprintf(text, sizeof text, "%s%s%s",
           class != NULL ? class : lisp_type_name(r, kind), any ? " by " : "",
           any ? function : "");
  text[NAME_ROOM - 1] = '\0';
  return holders_add(n->holders, text,
                     (struct holder){.clas = kind->clas,
                                     .what = kind->what,
                                     .category = lisp_category(r, kind) + 1});
}

/* ---- names that the image has ------------------------------------------ */

static uint32_t
name_note(struct naming *n, uint32_t number)
{
  const struct note *note =
      image_note_find(n->recovery->notes, NOTE_HOLDER, number);
  if (note == NULL)
    return holders_add(n->holders, "[unknown]", (struct holder){0});
  return holders_add(
      n->holders, note->text,
      (struct holder){.what = (uint32_t)note->value,
                      .category =
                          (uint32_t)(note->value >> NOTE_CATEGORY_SHIFT)});
}

/* Each is named once. */
static uint32_t
of_leaf(void *naming, uint32_t owner, uint32_t leaf)
{
  struct naming *n = naming;
  const uint64_t key = index_pair(owner, leaf);
  uint32_t holder = index_map_find(&n->leaves, key);
  if (holder != INDEX_NONE)
    return holder;
  holder = name_leaf(n, owner, leaf);
  return holder != 0 && index_map_add(&n->leaves, key, holder) ? holder : 0;
}

static uint32_t
of_note(void *naming, uint32_t number)
{
  struct naming *n = naming;
  uint32_t holder = index_map_find(&n->notes, number);
  if (holder != INDEX_NONE)
    return holder;
  holder = name_note(n, number);
  return holder != 0 && index_map_add(&n->notes, number, holder) ? holder : 0;
}

/* ---- samples ----------------------------------------------------------- */

static void
add_labels(struct lisp_recovery *r, const struct holder *holder)
{
  const struct kind kind = {.clas = holder->clas, .what = holder->what};
  const char *class = lisp_class_name(r, &kind);
  if (holder->category == 0)
    return;
  building_label(&r->building, PPROF_LABEL_TYPE, lisp_type_name(r, &kind));
  if (class != NULL)
    building_label(&r->building, PPROF_LABEL_CLASS, class);
  building_label(&r->building, PPROF_LABEL_CATEGORY,
                 lisp_category_name(holder->category - 1));
}

/* Adds the locations of all holders, from *LOCATIONS on, which the caller
 * frees. */
static bool
add_locations(struct building *b, const struct holders *h,
              uint32_t **locations)
{
  *locations = array_zeroed(h->count + (size_t)1, sizeof **locations);
  building_check(b, *locations != NULL);
  for (uint32_t i = 1; i <= h->count && !b->failed; i++)
    (*locations)[i] = building_location(
        b, INDEX_NONE, 0,
        building_function(b, holders_name(h, i), NULL, NULL, 0), 0);
  return !b->failed;
}

/* The node of the chain of holders that OWN ends; CHAIN is used for it. */
static uint32_t
node_of(struct building *b, const struct holders *h, const uint32_t *locations,
        const struct holding *own, struct numbers *chain)
{
  uint32_t node = TREE_ROOT;
  chain->count = 0;
  for (const struct holding *i = own; i != NULL && !b->failed;
       i = i->above == 0 ? NULL : &h->holdings[i->above - 1])
    building_check(b, numbers_push(chain, locations[i->holder]));
  while (chain->count > 0 && !b->failed) {
    node = tree_child(&b->reading.profile->tree, node,
                      (uint32_t)chain->items[--chain->count]);
    building_check(b, node != INDEX_NONE);
  }
  return node;
}

static void
add_holders(struct lisp_recovery *r, const struct holders *h)
{
  struct building *b = &r->building;
  struct numbers chain = {0};
  uint32_t *locations = NULL;
  bool good = add_locations(b, h, &locations);
  for (size_t i = 0; good && i < h->holding_count && !b->failed; i++) {
    const struct holding *own = &h->holdings[i];
    const uint64_t values[PPROF_COLUMNS] = {[PPROF_HELD_COUNT] = own->objects,
                                            [PPROF_HELD_BYTES] = own->bytes};
    if (own->objects == 0 && own->bytes == 0)
      continue;
    building_begin_sample(b);
    add_labels(r, &h->items[own->holder - 1]);
    building_put(b, node_of(b, h, locations, own, &chain), values);
  }
  free(locations);
  free(chain.items);
}

/* ---- the whole --------------------------------------------------------- */

static struct heap_array
array_of(const struct lisp_recovery *r, enum image_kind kind)
{
  const struct image_array *array = image_array(r->image, kind, 0);
  return array == NULL ? (struct heap_array){0}
                       : (struct heap_array){array->bytes, array->length};
}

bool
lisp_add_holdings(struct lisp_recovery *r, struct mprof_error *error)
{
  const struct heap_array outside = array_of(r, IMAGE_OUTSIDE);
  const struct image_object *others = outside.records;
  struct heap_graph graph;
  struct holders holders = {0};
  struct naming n = {.recovery = r, .holders = &holders};
  const struct holder_source source = {&n, of_leaf, of_note};
  if (image_array(r->image, IMAGE_OBJECTS, 0) == NULL)
    return true;
  if (!heap_graph_init(&graph, array_of(r, IMAGE_OBJECTS),
                       array_of(r, IMAGE_REFERENCES),
                       array_of(r, IMAGE_BODIES), array_of(r, IMAGE_ROOTS)) ||
      outside.bytes < sizeof *others ||
      others->bytes > outside.bytes / sizeof *others - 1)
    return image_damaged(r->image, error, "its graph of objects is invalid");
  if (holders_find(&holders, &graph, others, others->bytes, &source))
    add_holders(r, &holders);
  else
    building_check(&r->building, false);
  holders_release(&holders);
  index_map_release(&n.leaves);
  index_map_release(&n.notes);
  return true;
}
