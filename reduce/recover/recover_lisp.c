/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a Lisp program.
 *
 * A leaf becomes a sample of objects, a context that was entered one of
 * calls.  The calls that a leaf counts stand in the same sample when its
 * chain is theirs, else (the call was folded, or the chain goes on to the
 * allocator) in one of their own.
 */

#include "recover/recover.h"

#include "base/array.h"
#include "recover/lisp_recovery.h"

/* ---- kinds ------------------------------------------------------------- */

/* The type with those bits, or with those that all arrays or streams have. */
static const struct note *
find_type(const struct lisp_recovery *r, uint32_t what)
{
  const struct note *note =
      image_note_find(r->notes, NOTE_TYPE, NOTE_TYPE_BITS(what));
  return note != NULL ? note
                      : image_note_find(r->notes, NOTE_TYPE, what & 0xFF);
}

static const struct note *
find_class(const struct lisp_recovery *r, const struct kind *kind)
{
  return kind->clas == 0 ? NULL
                         : image_note_find(r->notes, NOTE_CLASS, kind->clas);
}

const char *
lisp_type_name(const struct lisp_recovery *r, const struct kind *kind)
{
  const struct note *class = find_class(r, kind);
  const struct note *type = find_type(r, kind->what);
  if (class != NULL && class->value != 0)
    return "STRUCTURE";
  return type != NULL ? type->text : "RAW-MEMORY";
}

const char *
lisp_class_name(const struct lisp_recovery *r, const struct kind *kind)
{
  const struct note *class = find_class(r, kind);
  return class == NULL ? NULL : class->text;
}

unsigned
lisp_category(const struct lisp_recovery *r, const struct kind *kind)
{
  const struct note *type = find_type(r, kind->what);
  return type == NULL ? 3 : (unsigned)type->value & 3;
}

const char *
lisp_category_name(unsigned category)
{
  static const char *const names[] = {"cons", "float", "struct", "other"};
  return names[category & 3];
}

/* ---- samples ----------------------------------------------------------- */

static void
add_labels(void *recovery, const struct kind *kind)
{
  struct lisp_recovery *r = recovery;
  struct building *b = &r->building;
  if (kind == NULL) {
    building_label(b, PPROF_LABEL_THREAD, r->thread);
    return;
  }
  const char *class = lisp_class_name(r, kind);
  building_label(b, PPROF_LABEL_TYPE, lisp_type_name(r, kind));
  if (class != NULL)
    building_label(b, PPROF_LABEL_CLASS, class);
  building_label(b, PPROF_LABEL_CATEGORY,
                 lisp_category_name(lisp_category(r, kind)));
  building_label(b, PPROF_LABEL_THREAD, r->thread);
  if (KIND_REGION(kind->what) != 0)
    building_label(b, PPROF_LABEL_REGION,
                   image_region_path(&r->regions, KIND_REGION(kind->what)));
  if (kind->size != 0 && kind->size != LEAF_LARGE)
    building_number_label(b, PPROF_LABEL_BYTES, kind->size);
}

/* The allocator of such objects that shows; NULL: none does. */
static const struct note *
find_allocator(const struct lisp_recovery *r, const struct kind *kind)
{
  return image_note_find(r->notes, NOTE_ALLOCATOR,
                         NOTE_TYPE_BITS(kind->what));
}

static uint64_t
allocator(void *recovery, const struct kind *kind)
{
  const struct note *const note = find_allocator(recovery, kind);
  return note == NULL ? 0 : site_place((uint32_t)note->value, 0, 0);
}

static void
add_calls(struct lisp_recovery *r, uint64_t calls, uint64_t site,
          uint32_t function, uint32_t up)
{
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_CALLS] = calls};
  if (calls != 0)
    building_sample(&r->building, site, function, up, values, NULL);
}

/* What became of the objects of a leaf: those of which nothing is said died
 * before their first collection. */
static void
add_survival(uint64_t *values, const struct image_survival *survival)
{
  uint64_t *const figures = &values[PPROF_SURVIVAL];
  const size_t alive = PPROF_SURVIVAL_FIGURES / 2;
  memcpy(figures, survival, sizeof *survival);
  figures[0] = values[PPROF_COUNT];
  figures[1] = values[PPROF_BYTES];
  for (size_t i = 2; i < PPROF_SURVIVAL_FIGURES; i++)
    figures[i % 2] -= figures[i];
  for (size_t i = alive + 2; i < PPROF_SURVIVAL_FIGURES; i++)
    values[i % 2 == 0 ? PPROF_KEPT_COUNT : PPROF_KEPT_BYTES] += figures[i];
}

static void
add_leaf(struct lisp_recovery *r, const struct leaf *leaf,
         const struct image_survival *survival)
{
  const struct kind *kind = context_tree_kind(r->building.tree, leaf);
  const bool any = leaf->count != 0 || leaf->bytes != 0;
  uint64_t values[PPROF_COLUMNS] = {[PPROF_COUNT] = leaf->count,
                                    [PPROF_BYTES] = leaf->bytes};
  if (survival != NULL)
    add_survival(values, survival);
  if (any && leaf->target == leaf->up && find_allocator(r, kind) == NULL)
    values[PPROF_CALLS] = leaf->activations;
  else
    add_calls(r, leaf->activations, leaf->site, leaf->function, leaf->up);
  r->allocations += leaf->count;
  r->bytes += leaf->bytes;
  r->contexts++;
  if (!any)
    return;
  if (kind->clas != 0 && find_class(r, kind) == NULL)
    r->classless += leaf->count;
  building_sample(&r->building, leaf->site, leaf->function, leaf->target,
                  values, kind);
}

/* That of a leaf of the tree that ARRAY is of; NULL: it is not known. */
static const struct image_survival *
survival_of(const struct image_array *array, uint32_t leaf)
{
  return array == NULL || leaf >= array->length / sizeof(struct image_survival)
             ? NULL
             : (const struct image_survival *)array->bytes + leaf;
}

static void
add_tree(struct lisp_recovery *r, const struct image_tree *tree)
{
  const struct context_tree *t = &tree->tree;
  const struct image_array *survival =
      image_array(r->image, IMAGE_SURVIVAL, tree->owner);
  uint64_t before = r->contexts;
  r->thread = image_note_text(r->notes, NOTE_THREAD, tree->owner, "?");
  building_tree(&r->building, t);
  for (uint32_t i = LEAF_OVERFLOW; i < t->leaf_count; i++)
    if (image_leaf_counts(&t->leaves[i]))
      add_leaf(r, &t->leaves[i], survival_of(survival, i));
  r->threads += r->contexts > before;
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++) {
    const struct context *c = &t->contexts[i];
    add_calls(r, c->activations, c->site, c->function, c->parent);
    r->contexts += c->site != 0;
  }
}

/* ---- the whole --------------------------------------------------------- */

static uint64_t
columns_of(const struct image *image)
{
  if (image_array(image, IMAGE_OBJECTS, 0) != NULL)
    return PPROF_HELD_COLUMNS;
  return (image->head.flags & IMAGE_LIVE) != 0 ? PPROF_LIVE_COLUMNS
                                               : PPROF_LISP_COLUMNS;
}

/* Takes all of an image whose trees are checked. */
static bool
build(struct lisp_recovery *r, const struct recovery *recovery)
{
  static const struct building_source source = {add_labels, lisp_location,
                                                NULL, allocator};
  const struct image *image = recovery->image;
  r->building.source = &source;
  r->building.closure = r;
  r->regions = image_regions(image);
  building_begin(&r->building, recovery, LANGUAGE_LISP, columns_of(image));
  if (!lisp_add_holdings(r, recovery->error))
    return false;
  for (size_t i = 0; i < image->tree_count; i++)
    add_tree(r, &image->trees[i]);
  lisp_add_unknown_calls(r);
  lisp_add_comments(r);
  return building_end(&r->building);
}

bool
recover_lisp(const struct recovery *recovery)
{
  struct lisp_recovery r = {.image = recovery->image,
                            .notes = recovery->notes};
  const bool good = image_check_trees(recovery->image, recovery->error) &&
                    build(&r, recovery);
  building_release(&r.building);
  c_names_release(&r.names);
  free(r.source.text);
  free(r.source.path);
  index_map_release(&r.known);
  index_map_release(&r.unknown);
  return good;
}
