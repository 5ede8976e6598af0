/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a C program, which the writer of the monitor writes
 * (monitor/malloc/session/malloc_profile.c): the counters of leaves are sums
 * over stripes, as stripes.c makes them, and what an ECL without hooks has
 * allocated is added by its threads.
 */

#include "recover/recover.h"

#include "base/array.h"
#include "malloc/count/other_heap.h"
#include "malloc/session/malloc_profile.h"

struct c_recovery {
  const struct image *image;
  const struct image_notes *notes;
  uint64_t peak; /* the number of the last one */
  struct code_objects loaded, unloaded; /* their objects are owned */
  struct region_table regions;
  uint64_t contexts;
};

/* Of the tallies of an ECL without hooks: see malloc/ecl/lisp_heap.h. */
struct lisp_tally {
  uint64_t count, bytes;
};

/* The only tree. */
static struct context_tree *
tree_of(const struct c_recovery *r)
{
  return &r->image->trees[0].tree;
}

/* ---- counters ---------------------------------------------------------- */

static void
add_life(struct leaf_life *sum, struct leaf_life life, uint64_t peak)
{
  if (life.peak != peak) {
    life.at_peak.count = life.allocated.count - life.freed.count;
    life.at_peak.bytes = life.allocated.bytes - life.freed.bytes;
  }
  sum->allocated.count += life.allocated.count;
  sum->allocated.bytes += life.allocated.bytes;
  sum->freed.count += life.freed.count;
  sum->freed.bytes += life.freed.bytes;
  sum->at_peak.count += life.at_peak.count;
  sum->at_peak.bytes += life.at_peak.bytes;
  sum->temporary_count += life.temporary_count;
}

/* An object that was being counted, or its end, may have its count and not
 * its bytes, and nothing is freed that was not allocated.  An impossible sum
 * becomes 0 or the whole. */
static void
mend(uint64_t *part, uint64_t whole)
{
  if (*part > whole)
    *part = (int64_t)*part < 0 ? 0 : whole;
}

static struct leaf_life
life_of(void *recovery, uint32_t leaf)
{
  const struct c_recovery *r = recovery;
  struct leaf_life sum = {.peak = r->peak};
  for (size_t i = 0; i < r->image->array_count; i++) {
    const struct image_array *array = &r->image->arrays[i];
    struct leaf_life life;
    if (array->kind != IMAGE_LIVES || leaf >= array->length / sizeof life)
      continue;
    memcpy(&life, array->bytes + leaf * sizeof life, sizeof life);
    add_life(&sum, life, r->peak);
  }
  mend(&sum.freed.count, sum.allocated.count);
  mend(&sum.freed.bytes, sum.allocated.bytes);
  mend(&sum.at_peak.count, sum.allocated.count);
  mend(&sum.at_peak.bytes, sum.allocated.bytes);
  mend(&sum.temporary_count, sum.freed.count);
  return sum;
}

static struct leaf_figures
leaf_of(void *recovery, uint32_t number)
{
  const struct c_recovery *r = recovery;
  const struct leaf *leaf = &tree_of(r)->leaves[number];
  return (struct leaf_figures){{leaf->count, leaf->bytes},
                               life_of(recovery, number)};
}

static void
add_tallies(const struct c_recovery *r, uint32_t number, struct leaf *leaf)
{
  const struct context_tree *tree = tree_of(r);
  const uint32_t size =
      leaf->kind < tree->kind_count ? tree->kinds[leaf->kind].size : 0;
  for (size_t i = 0; i < r->image->array_count; i++) {
    const struct image_array *array = &r->image->arrays[i];
    struct lisp_tally tally;
    if (array->kind != IMAGE_TALLIES ||
        number >= array->length / sizeof tally)
      continue;
    memcpy(&tally, array->bytes + number * sizeof tally, sizeof tally);
    leaf->count += tally.count;
    leaf->bytes += number <= LEAF_OVERFLOW || size == LEAF_LARGE
                       ? tally.bytes
                       : tally.count * size;
  }
}

/* Gives the leaves of the tree their counts. */
static struct malloc_total
settle(struct c_recovery *r)
{
  struct context_tree *tree = tree_of(r);
  struct malloc_total total = {0};
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++) {
    struct leaf *leaf = &tree->leaves[i];
    const struct leaf_life life = life_of(r, i);
    leaf->count = life.allocated.count;
    leaf->bytes = life.allocated.bytes;
    leaf->activations = 0;
    add_tallies(r, i, leaf);
    total.count += leaf->count;
    total.bytes += leaf->bytes;
    total.peak_bytes += life.at_peak.bytes;
    r->contexts += image_leaf_counts(leaf);
  }
  return total;
}

/* ---- code -------------------------------------------------------------- */

static unsigned
digit(char c)
{
  return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

static struct code_object
object_of(const struct note_module *m)
{
  struct code_object o = {.start = m->start,
                          .end = m->end,
                          .file_offset = m->offset,
                          .path = m->path,
                          .number = (uint32_t)m->number};
  const size_t length = strlen(m->build_id);
  if (strspn(m->build_id, "0123456789abcdef") != length ||
      length > 2 * BUILD_ID_BYTES)
    return o;
  o.build_id_size = length / 2;
  for (size_t i = 0; i < o.build_id_size; i++)
    o.build_id[i] = (uint8_t)(digit(m->build_id[2 * i]) << 4 |
                              digit(m->build_id[2 * i + 1]));
  return o;
}

/* What was loaded at the end: later ones have taken the place of earlier ones
 * that were unloaded.  The program comes first. */
static bool
is_loaded(const struct image_notes *notes, const struct note_module *m)
{
  return m->number == 0 && image_module_at(notes, m->start) == m;
}

/* Makes the lists; of those that were unloaded each has the place that its
 * number says. */
static bool
list_objects(struct c_recovery *r)
{
  const struct image_notes *notes = r->notes;
  const size_t most = notes->module_count + 1;
  r->loaded.objects = array_zeroed(most, sizeof(struct code_object));
  r->unloaded.objects = array_zeroed(most, sizeof(struct code_object));
  if (r->loaded.objects == NULL || r->unloaded.objects == NULL)
    return false;
  for (size_t i = 0; i < notes->module_count; i++)
    if (is_loaded(notes, &notes->modules[i]))
      r->loaded.objects[r->loaded.count++] = object_of(&notes->modules[i]);
  for (size_t n = 1; n < most; n++) {
    const struct note_module *m = image_module_unloaded(notes, n);
    if (m == NULL)
      break;
    r->unloaded.objects[r->unloaded.count++] = object_of(m);
  }
  return true;
}

/* A site in a file that is not known is in one of those without a number. */
static uint64_t
known_site(const struct c_recovery *r, uint64_t site)
{
  return (site & SITE_OBJECT) == 0 && (site & SITE_RETIRED) != 0 &&
                 RETIRED_OBJECT(site) - 1 >= r->unloaded.count
             ? SITE_RETIRED
             : site;
}

static void
check_sites(struct c_recovery *r)
{
  struct context_tree *tree = tree_of(r);
  for (uint32_t i = 0; i < tree->context_count; i++)
    tree->contexts[i].site = known_site(r, tree->contexts[i].site);
  for (uint32_t i = 0; i < tree->leaf_count; i++)
    tree->leaves[i].site = known_site(r, tree->leaves[i].site);
}

/* ---- names ------------------------------------------------------------- */

static const char *
thread_name(void *recovery, uint32_t label)
{
  const struct c_recovery *r = recovery;
  return image_note_text(r->notes, NOTE_THREAD, label, "?");
}

static const char *
region_path(void *recovery, uint32_t number)
{
  const struct c_recovery *r = recovery;
  return image_region_path(&r->regions, number);
}

static const char *
name_of(void *recovery, uint64_t site, uint32_t function)
{
  const struct c_recovery *r = recovery;
  return image_note_text(r->notes, NOTE_NAME,
                         (site & SITE_OBJECT) != 0 ? site : function, NULL);
}

static void
put_heap_labels(void *recovery, struct pprof_stream *p,
                const struct kind *kind)
{
  static const char *const categories[] = {"cons", "float", "struct",
                                           "other"};
  const struct image_notes *notes =
      ((const struct c_recovery *)recovery)->notes;
  const struct note *alone =
      image_note_find(notes, NOTE_TYPE, kind->what & NOTE_TYPE_ALONE);
  const struct note *type =
      image_note_find(notes, NOTE_TYPE, kind->what & ~UINT64_C(128));
  const struct note *class = NULL;
  if (type == NULL)
    type = alone;
  if (alone != NULL && (alone->value & NOTE_HAS_CLASS) != 0)
    class = image_note_find(notes, NOTE_CLASS,
                            kind->what >> NOTE_CLASS_SHIFT);
  pprof_add_label(p, PPROF_LABEL_TYPE,
                  class != NULL && class->value != 0 ? "STRUCTURE"
                  : type != NULL                     ? type->text
                                                     : "RAW-MEMORY");
  if (class != NULL)
    pprof_add_label(p, PPROF_LABEL_CLASS, class->text);
  pprof_add_label(p, PPROF_LABEL_CATEGORY,
                  categories[type == NULL ? 3 : type->value & 3]);
}

static void
put_comments(void *recovery, struct pprof_stream *p)
{
  const struct c_recovery *r = recovery;
  if (image_note_find(r->notes, NOTE_COARSE, 0) != NULL)
    pprof_put_comment(p, PPROF_COMMENT_COARSE_NOTE,
                      image_note_text(r->notes, NOTE_COARSE, 0, ""));
  region_table_comments(&r->regions, true, pprof_put_region, p);
  pprof_put_count(p, PPROF_COMMENT_CONTEXTS, r->contexts);
  if (recover_note(r->image) != NULL)
    pprof_put_comment(p, PPROF_COMMENT_LOST_NOTE, recover_note(r->image));
}

/* ---- the whole --------------------------------------------------------- */

/* An image whose first tree is not there yet has nothing. */
static bool
add_empty_tree(struct image *image, struct mprof_error *error)
{
  static struct context contexts[CONTEXT_FIRST];
  static struct leaf leaves[LEAF_FIRST];
  static struct kind kinds[1];
  const struct image_tree empty = {.tree = {.contexts = contexts,
                                            .leaves = leaves,
                                            .kinds = kinds,
                                            .context_count = CONTEXT_FIRST,
                                            .leaf_count = LEAF_FIRST,
                                            .kind_count = 1}};
  return image->tree_count != 0 ||
         ARRAY_PUSH(image->trees, image->tree_count, image->tree_capacity,
                    empty) ||
         mprof_error_memory(error);
}

bool
recover_c(struct image *image, const struct image_notes *notes,
          struct gzip_file *file, struct mprof_error *error)
{
  struct c_recovery r = {.image = image, .notes = notes};
  const struct image_array *all = image_array(image, IMAGE_STRIPES, 0);
  if (all != NULL && all->length >= sizeof(struct stripes))
    memcpy(&r.peak, all->bytes + offsetof(struct stripes, peak),
           sizeof r.peak);
  bool good = add_empty_tree(image, error);
  if (good) {
    struct malloc_figures figures = {.tree = tree_of(&r),
                                     .loaded = &r.loaded,
                                     .unloaded = &r.unloaded,
                                     .lisp = image_note_find(notes, NOTE_TYPE,
                                                             1) != NULL,
                                     .closure = &r,
                                     .leaf = leaf_of,
                                     .thread = thread_name,
                                     .region = region_path,
                                     .name_of = name_of,
                                     .put_heap_labels = put_heap_labels,
                                     .put_comments = put_comments};
    figures.total = settle(&r);
    good = image_check_trees(image, error) &&
           (list_objects(&r) || mprof_error_memory(error));
    if (good) {
      check_sites(&r);
      r.regions = image_regions(image);
      malloc_profile_write(file, &figures);
    }
  }
  free(r.loaded.objects);
  free(r.unloaded.objects);
  return good;
}
