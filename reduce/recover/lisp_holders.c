/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What holds the live objects of a Lisp program, as samples: a chain of
 * holders, the innermost first, where others have one of calls.  A holder is
 * a location and a function of one number, which no others have.
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
  struct holders holders;
  struct index_map known; /* holders by owner and leaf, or note */
};

/* ---- names ------------------------------------------------------------- */

/* The name of a function that shows; *OWN: it is not one of ECL's. */
static const char *
shown_name(struct lisp_recovery *r, uint32_t function, bool *own)
{
  *own = false;
  if ((function & FUNCTION_NUMBER) == 0 || (function & FUNCTION_HIDDEN) != 0)
    return NULL;
  const struct lisp_function f =
      lisp_function_at(r, function & FUNCTION_NUMBER);
  *own = !is_system_function(f.name, f.file == NULL ? "" : f.file);
  return f.name;
}

/* Sets NAME to the innermost function on the path of a leaf that is the
 * program's, or else that shows; "": there is none. */
static void
function_name(struct lisp_recovery *r, const struct context_tree *tree,
              const struct leaf *leaf, char name[NAME_ROOM])
{
  uint32_t function = (leaf->site & SITE_SPECIAL) != 0 ? 0 : leaf->function;
  uint32_t up = leaf->up;
  name[0] = '\0';
  for (bool own;; up = tree->contexts[up].parent) {
    const char *shown = shown_name(r, function, &own);
    if (shown != NULL && (own || name[0] == '\0'))
      snprintf(name, NAME_ROOM, "%s", shown);
    if (own || up < CONTEXT_FIRST)
      return;
    function = tree->contexts[up].function;
  }
}

static const struct context_tree *
find_tree(const struct lisp_recovery *r, uint32_t owner)
{
  for (size_t i = 0; i < r->b->image->tree_count; i++)
    if (r->b->image->trees[i].owner == owner)
      return &r->b->image->trees[i].tree;
  return NULL;
}

static uint32_t
add_leaf(struct naming *n, uint32_t owner, uint32_t number)
{
  struct lisp_recovery *r = n->recovery;
  const struct context_tree *tree = find_tree(r, owner);
  char function[NAME_ROOM];
  char text[2 * NAME_ROOM];
  if (tree == NULL || number < LEAF_OVERFLOW || number >= tree->leaf_count)
    return holders_add(&n->holders, "[unknown]", (struct holder){0});
  const struct leaf *leaf = &tree->leaves[number];
  const struct kind *kind = context_tree_kind(tree, leaf);
  const struct object_type type = lisp_type_of(r, kind);
  function_name(r, tree, leaf, function);
  snprintf(text, sizeof text, "%s%s%s",
           type.class != NULL ? type.class : type.type,
           function[0] != '\0' ? " by " : "", function);
  text[NAME_ROOM - 1] = '\0';
  return holders_add(&n->holders, text,
                     (struct holder){.clas = kind->clas,
                                     .what = kind->what,
                                     .category = type.category + 1});
}

static uint32_t
add_note(struct naming *n, uint32_t number)
{
  const struct note *note =
      image_note_find(n->recovery->notes, NOTE_HOLDER, number);
  if (note == NULL)
    return holders_add(&n->holders, "[unknown]", (struct holder){0});
  return holders_add(
      &n->holders, note->text,
      (struct holder){.what = (uint32_t)note->value,
                      .category =
                          (uint32_t)(note->value >> NOTE_CATEGORY_SHIFT)});
}

/* Each is named once. */
static uint32_t
find_holder(void *naming, uint32_t owner, uint32_t number)
{
  struct naming *n = naming;
  const uint64_t key = index_pair(owner, number);
  uint32_t holder = index_map_find(&n->known, key);
  if (holder == INDEX_NONE) {
    holder = owner == 0 ? add_note(n, number) : add_leaf(n, owner, number);
    index_map_add(&n->known, key, holder);
  }
  return holder;
}

/* ---- samples ----------------------------------------------------------- */

static void
add_labels(struct lisp_recovery *r, const struct holder *holder)
{
  const struct kind kind = {.clas = holder->clas, .what = holder->what};
  struct object_type type = lisp_type_of(r, &kind);
  if (holder->category == 0)
    return;
  type.category = (holder->category - 1) & 3;
  object_type_label(r->b, type);
}

static void
add_samples(struct lisp_recovery *r, const struct holders *h)
{
  struct sample_adder *samples = &r->b->samples;
  for (size_t i = 0; i < h->holding_count; i++) {
    const struct holding *own = &h->holdings[i];
    const uint64_t values[PPROF_COLUMNS] = {
        [PPROF_HELD_COUNT] = own->objects, [PPROF_HELD_BYTES] = own->bytes};
    if (own->objects == 0 && own->bytes == 0)
      continue;
    sample_adder_begin(samples);
    add_labels(r, &h->items[own->holder]);
    building_put(r->b, own->node, &samples->known, values);
  }
}

/* ---- the whole --------------------------------------------------------- */

static struct heap_array
array_of(const struct lisp_recovery *r, enum image_kind kind)
{
  const struct image_array *array = image_array(r->b->image, kind, 0);
  return array == NULL ? (struct heap_array){0}
                       : (struct heap_array){array->bytes, array->length};
}

void
lisp_add_holdings(struct lisp_recovery *r)
{
  const struct heap_array outside = array_of(r, IMAGE_OUTSIDE);
  const struct image_object *others = outside.records;
  struct heap_graph graph;
  struct naming n = {.recovery = r,
                     .holders = {.profile = r->b->reading.profile}};
  if (!heap_graph_init(&graph, array_of(r, IMAGE_OBJECTS),
                       array_of(r, IMAGE_REFERENCES),
                       array_of(r, IMAGE_BODIES), array_of(r, IMAGE_ROOTS)) ||
      outside.bytes < sizeof *others ||
      others->bytes > outside.bytes / sizeof *others - 1)
    image_fault(r->b->image, MPROF_NO_OFFSET,
                "its graph of objects is invalid");
  holders_find(&n.holders, &graph, others, others->bytes, find_holder, &n);
  add_samples(r, &n.holders);
}
