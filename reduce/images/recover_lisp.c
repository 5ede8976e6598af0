/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a Lisp program.
 *
 * A leaf becomes a sample of objects, a context that was entered one of
 * calls.  The calls that a leaf counts stand in the same sample when its
 * chain is theirs, else (the call was folded, or the chain goes on to the
 * allocator) in one of their own.
 *
 * Comments.  A program that is asked states its figures; of one that was
 * killed they are the sums of what is in its image.
 */

#include "images/building.h"

#include <inttypes.h>

/* ---- kinds ------------------------------------------------------------- */

void
object_type_label(struct building *b, struct object_type type)
{
  building_label(b, PPROF_LABEL_TYPE, type.type);
  if (type.class != NULL)
    building_label(b, PPROF_LABEL_CLASS, type.class);
  building_label(b, PPROF_LABEL_CATEGORY,
                 category_rows[LANGUAGE_LISP][type.category].name);
}

struct object_type
lisp_type_of(const struct building *b, const struct kind *kind)
{
  const struct note *class =
      kind->clas == 0 ? NULL
                      : image_note_find(&b->notes, NOTE_CLASS, kind->clas);
  const struct note *type =
      image_note_find(&b->notes, NOTE_TYPE, NOTE_TYPE_BITS(kind->what));
  if (type == NULL) /* all such arrays or streams */
    type = image_note_find(&b->notes, NOTE_TYPE, kind->what & 0xFF);
  return (struct object_type){.type = class != NULL && class->value != 0
                                          ? "STRUCTURE"
                                      : type != NULL ? type->text
                                                     : "RAW-MEMORY",
                              .class = class == NULL ? NULL : class->text,
                              .category = type == NULL ? 3 : type->value & 3};
}

/* ---- samples ----------------------------------------------------------- */

static void
add_labels(struct building *b, const struct kind *kind)
{
  if (kind != NULL)
    object_type_label(b, lisp_type_of(b, kind));
  building_label(b, PPROF_LABEL_THREAD, b->thread);
  if (kind == NULL)
    return;
  building_region_label(b, kind->region);
  if (kind->size != 0 && kind->size != LEAF_LARGE)
    building_number_label(b, PPROF_LABEL_BYTES, kind->size, "bytes");
}

/* Returns the allocator of such objects that shows; NULL: none does. */
static const struct note *
find_allocator(const struct building *b, const struct kind *kind)
{
  return image_note_find(&b->notes, NOTE_ALLOCATOR,
                         NOTE_TYPE_BITS(kind->what));
}

static uint64_t
allocator(struct building *b, const struct kind *kind)
{
  const struct note *const note = find_allocator(b, kind);
  return note == NULL ? 0 : site_place((uint32_t)note->value, 0, 0);
}

static void
add_calls(struct building *b, uint64_t calls, uint64_t site, uint32_t up)
{
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_CALLS] = calls};
  if (calls != 0)
    building_sample(b, site, up, values, NULL);
}

static void
add_leaf(struct building *b, uint32_t number, const struct image_live *live)
{
  const struct leaf *leaf = &b->tree->leaves[number];
  const struct kind *kind = context_tree_kind(b->tree, leaf);
  const bool any = leaf->count != 0 || leaf->bytes != 0;
  uint64_t values[PPROF_COLUMNS] = {
      [PPROF_COUNT] = leaf->count, [PPROF_BYTES] = leaf->bytes};
  if (live != NULL) {
    values[PPROF_KEPT_COUNT] = live->count;
    values[PPROF_KEPT_BYTES] = live->bytes;
    values[PPROF_PEAK_COUNT] = live->peak_count;
    values[PPROF_PEAK_BYTES] = live->peak_bytes;
  }
  if (any && leaf->target == leaf->up && find_allocator(b, kind) == NULL)
    values[PPROF_CALLS] = leaf->activations;
  else
    add_calls(b, leaf->activations, leaf->site, leaf->up);
  b->allocations += leaf->count;
  b->bytes += leaf->bytes;
  b->paths++;
  if (!any)
    return;
  if (kind->clas != 0 && lisp_type_of(b, kind).class == NULL)
    b->classless += leaf->count;
  building_leaf(b, number, leaf->target, values);
}

static void
add_tree(struct building *b, const struct image_tree *tree)
{
  const struct context_tree *t = &tree->tree;
  size_t length;
  const struct image_live *live =
      image_array(b->image, IMAGE_LIVE_FIGURES, tree->owner, &length);
  const size_t known = length / sizeof *live;
  uint64_t before = b->paths;
  b->thread = image_note_text(&b->notes, NOTE_THREAD, tree->owner, "?");
  building_tree(b, tree);
  for (uint32_t i = LEAF_OVERFLOW; i < t->leaf_count; i++)
    if (image_leaf_counts(&t->leaves[i]))
      add_leaf(b, i, i < known ? &live[i] : NULL);
  b->threads += b->paths > before;
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++) {
    const struct context *c = &t->contexts[i];
    add_calls(b, c->activations, c->site, c->parent);
    b->paths += c->site != 0;
  }
}

/* ---- comments ---- */

/* Notes which functions have calls that are not counted, when all samples are
 * there.  Readers tell functions by their names: of several with one name the
 * calls are unknown only if no one's are known. */
static void
add_unknown_calls(struct building *b)
{
  const struct profile *profile = b->reading.profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const uint32_t name = profile->functions[i].name;
    if (index_map_find(&b->unknown, name) == INDEX_NONE ||
        index_map_find(&b->known, name) != INDEX_NONE)
      continue;
    index_map_add(&b->known, name, 0);
    building_comment(b, PPROF_COMMENT_CALLS_UNKNOWN,
                     profile_text(profile, name));
  }
}

/* Adds all comments KEY of the program.  Gives back whether there are any. */
static bool
add_stated(struct building *b, const char *key)
{
  bool any = false;
  for (size_t i = 0; i < b->notes.comment_count; i++) {
    const char *value = comment_value(b->notes.comments[i], key);
    if (value != NULL)
      building_comment(b, key, value);
    any |= value != NULL;
  }
  return any;
}

static void
add_count(struct building *b, const char *key, uint64_t counted)
{
  if (!add_stated(b, key))
    building_count(b, key, counted);
}

/* Adds comments on what can be missing from chains, and on names that are. */
static void
add_gaps(struct building *b)
{
  add_count(b, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS, b->unattributed_count);
  add_count(b, PPROF_COMMENT_UNATTRIBUTED_BYTES, b->unattributed_bytes);
  add_stated(b, PPROF_COMMENT_UNATTRIBUTED_NOTE);
  building_count(b, PPROF_COMMENT_CUT_ALLOCATIONS, b->cut_count);
  add_stated(b, PPROF_COMMENT_DIFFERING_WALKS);
  add_stated(b, PPROF_COMMENT_CHAIN_NOTE);
  if (b->classless > 0)
    building_comment(
        b, PPROF_COMMENT_CLASS_NOTE,
        pool_format("objects whose class name did not fit: %" PRIu64,
                    b->classless));
}

static void
add_comments(struct building *b)
{
  building_comment(b, PPROF_COMMENT_VERSION, MPROF_VERSION);
  building_comment(b, PPROF_COMMENT_LANGUAGE, "lisp");
  building_comment(b, PPROF_COMMENT_PROGRAM,
                   image_note_text(&b->notes, NOTE_PROGRAM, 0, "ECL"));
  building_comment(b, PPROF_COMMENT_ROOT,
                   image_note_text(&b->notes, NOTE_ROOT, 0, ""));
  add_count(b, PPROF_COMMENT_ALLOCATIONS, b->allocations);
  add_count(b, PPROF_COMMENT_BYTES, b->bytes);
  add_stated(b, PPROF_COMMENT_MALLOC_BYTES);
  add_stated(b, PPROF_COMMENT_ROUNDED_BYTES);
  add_stated(b, PPROF_COMMENT_COLLECTOR_BYTES);
  add_stated(b, PPROF_COMMENT_COLLECTOR_RECORD_BYTES);
  add_stated(b, PPROF_COMMENT_RESIDUAL_BYTES);
  add_stated(b, PPROF_COMMENT_RESIDUAL_NOTE);
  add_gaps(b);
  add_stated(b, PPROF_COMMENT_LIVE_COLLECTION);
  add_stated(b, PPROF_COMMENT_LOST_NOTE);
  if ((b->image->head.flags & IMAGE_INCOMPLETE) != 0)
    building_comment(b, PPROF_COMMENT_LOST_NOTE,
                     "allocations that did not fit into the file that the "
                     "program had mapped");
  building_regions(b, false);
  add_count(b, PPROF_COMMENT_CONTEXTS, b->paths);
  add_stated(b, PPROF_COMMENT_CONTEXT_BYTES);
  add_count(b, PPROF_COMMENT_THREADS, b->threads);
}

/* ---- the whole --------------------------------------------------------- */

void
recover_lisp(struct building *b)
{
  static const struct building_source source = {add_labels, lisp_location,
                                                allocator};
  const struct image *image = b->image;
  size_t objects;
  const bool held = image_array(image, IMAGE_OBJECTS, 0, &objects) != NULL;
  const bool live = (image->head.flags & IMAGE_LIVE) != 0;
  b->source = &source;
  image_check_trees(image);
  building_begin(b, LANGUAGE_LISP,
                 held   ? PPROF_HELD_COLUMNS
                 : live ? PPROF_LIVE_COLUMNS
                        : PPROF_LISP_COLUMNS);
  if (held)
    lisp_add_holdings(b);
  if (image->timeline != NULL)
    building_timeline(b);
  for (size_t i = 0; i < image->tree_count; i++)
    add_tree(b, &image->trees[i]);
  add_unknown_calls(b);
  add_comments(b);
  building_end(b);
}
