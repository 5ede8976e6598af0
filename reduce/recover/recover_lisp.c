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
put_labels(void *closure, const struct kind *kind)
{
  struct lisp_recovery *r = closure;
  struct pprof_stream *p = &r->stream;
  if (kind == NULL) {
    pprof_add_label(p, PPROF_LABEL_THREAD, r->thread);
    return;
  }
  const char *class = lisp_class_name(r, kind);
  pprof_add_label(p, PPROF_LABEL_TYPE, lisp_type_name(r, kind));
  if (class != NULL)
    pprof_add_label(p, PPROF_LABEL_CLASS, class);
  if (r->samples.shown)
    return;
  pprof_add_label(p, PPROF_LABEL_CATEGORY,
                  lisp_category_name(lisp_category(r, kind)));
  pprof_add_label(p, PPROF_LABEL_THREAD, r->thread);
  if (KIND_REGION(kind->what) != 0)
    pprof_add_label(p, PPROF_LABEL_REGION,
                    image_region_path(&r->regions, KIND_REGION(kind->what)));
  if (kind->size != 0 && kind->size != LEAF_LARGE)
    pprof_add_number_label(p, PPROF_LABEL_BYTES, kind->size);
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
put_calls(struct lisp_recovery *r, uint64_t calls, uint64_t site,
          uint32_t function, uint32_t up)
{
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_CALLS] = calls};
  if (calls != 0 && !r->samples.shown)
    sample_writer_put(&r->samples, site, function, up, values, NULL);
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
put_leaf(struct lisp_recovery *r, const struct leaf *leaf,
         const struct image_survival *survival)
{
  const struct kind *kind = context_tree_kind(&r->tree->tree, leaf);
  const bool any = leaf->count != 0 || leaf->bytes != 0;
  uint64_t values[PPROF_COLUMNS] = {[PPROF_COUNT] = leaf->count,
                                    [PPROF_BYTES] = leaf->bytes};
  if (survival != NULL)
    add_survival(values, survival);
  if (any && leaf->target == leaf->up && find_allocator(r, kind) == NULL)
    values[PPROF_CALLS] = leaf->activations;
  else
    put_calls(r, leaf->activations, leaf->site, leaf->function, leaf->up);
  r->allocations += leaf->count;
  r->bytes += leaf->bytes;
  r->contexts++;
  if (!any)
    return;
  if (kind->clas != 0 && find_class(r, kind) == NULL)
    r->classless += leaf->count;
  sample_writer_put(&r->samples, leaf->site, leaf->function, leaf->target,
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
put_tree(struct lisp_recovery *r, const struct image_tree *tree)
{
  const struct context_tree *t = &tree->tree;
  const struct image_array *survival =
      image_array(r->image, IMAGE_SURVIVAL, tree->owner);
  uint64_t before = r->contexts;
  r->tree = tree;
  r->thread = image_note_text(r->notes, NOTE_THREAD, tree->owner, "?");
  sample_writer_begin(&r->samples, t, t->context_count);
  for (uint32_t i = LEAF_OVERFLOW; i < t->leaf_count; i++)
    if (image_leaf_counts(&t->leaves[i]))
      put_leaf(r, &t->leaves[i], survival_of(survival, i));
  r->threads += r->contexts > before;
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++) {
    const struct context *c = &t->contexts[i];
    put_calls(r, c->activations, c->site, c->function, c->parent);
    r->contexts += c->site != 0;
  }
  sample_writer_end(&r->samples);
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

bool
recover_lisp(struct image *image, const struct image_notes *notes,
             struct octets *file, struct mprof_error *error)
{
  struct lisp_recovery r = {
      .image = image,
      .notes = notes,
      .stream.output = file,
      .samples = {.stream = &r.stream,
                  .put_labels = put_labels,
                  .closure = &r,
                  .part_of = lisp_location_part,
                  .shown = (image->head.flags & IMAGE_HEAP) != 0,
                  .allocator = allocator}};
  if (!image_check_trees(image, error))
    return false;
  r.regions = image_regions(image);
  pprof_open(&r.stream, columns_of(image));
  const bool good = lisp_put_holdings(&r, error);
  for (size_t i = 0; good && i < image->tree_count; i++)
    put_tree(&r, &image->trees[i]);
  lisp_put_locations(&r);
  lisp_put_comments(&r);
  sample_writer_release(&r.samples);
  pprof_close(&r.stream);
  c_names_release(&r.names);
  return good;
}
