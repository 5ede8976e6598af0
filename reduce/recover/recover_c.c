/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a C program, and what their numbers stand for: files of code,
 * threads, regions, and what an ECL without hooks calls its objects.
 */

#include "recover/recover.h"

#include "base/array.h"
#include "recover/c_counters.h"
#include "recover/c_profile.h"

#include <inttypes.h>
#include <stdio.h>

struct c_recovery {
  const struct image *image;
  const struct image_notes *notes;
  struct c_counters counters;
  struct code_objects loaded, unloaded; /* their objects are owned */
  struct region_table regions;
};

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
  struct context_tree *tree = r->counters.tree;
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

static uint64_t
between(void *recovery, uint64_t site, uint32_t function, uint32_t callee)
{
  const struct c_recovery *r = recovery;
  const struct note *note =
      image_note_find(r->notes, NOTE_BETWEEN,
                      note_between_key(site, function, callee));
  return note != NULL && note->value == site ? note->more : 0;
}

static void
put_notes(const struct c_recovery *r, struct pprof_stream *p)
{
  for (size_t i = 0; i < r->notes->comment_count; i++) {
    const char *text = r->notes->comments[i];
    const char *equals = strchr(text, '=');
    char *key = equals == NULL ? NULL : strndup(text, (size_t)(equals - text));
    if (key != NULL)
      pprof_put_comment(p, key, equals + 1);
    free(key);
  }
}

static void
put_comments(void *recovery, struct pprof_stream *p)
{
  const struct c_recovery *r = recovery;
  char lost[96];
  if (image_note_find(r->notes, NOTE_COARSE, 0) != NULL)
    pprof_put_comment(p, PPROF_COMMENT_COARSE_NOTE,
                      image_note_text(r->notes, NOTE_COARSE, 0, ""));
  put_notes(r, p);
  pprof_put_count(p, PPROF_COMMENT_CONTEXTS, r->counters.contexts);
  pprof_put_count(p, PPROF_COMMENT_CONTEXT_BYTES, r->counters.bytes);
  snprintf(lost, sizeof lost,
           "allocations for which memory ran out: %" PRIu64, r->counters.stripes.lost);
  if ((r->image->head.flags & IMAGE_INCOMPLETE) != 0)
    pprof_put_comment(p, PPROF_COMMENT_UNATTRIBUTED_NOTE,
                      "the file had no room to grow");
  if (r->counters.stripes.lost != 0)
    pprof_put_comment(p, PPROF_COMMENT_LOST_NOTE, lost);
  image_region_comments(&r->regions, true, pprof_put_region, p);
}

/* ---- the whole --------------------------------------------------------- */

bool
recover_c(struct image *image, const struct image_notes *notes,
          struct octets *file, struct mprof_error *error)
{
  struct c_recovery r = {.image = image, .notes = notes};
  const struct c_counters *counters = &r.counters;
  bool good = c_counters_find(&r.counters, image, error) &&
              (list_objects(&r) || mprof_error_memory(error));
  if (good) {
    const struct c_figures figures = {
        .tree = counters->tree,
        .lives = counters->lives,
        .losses = counters->losses,
        .loaded = &r.loaded,
        .unloaded = &r.unloaded,
        .total = {counters->total.count, counters->total.bytes,
                  counters->total.peak_bytes},
        .lisp = image_note_find(notes, NOTE_TYPE, 1) != NULL,
        .closure = &r,
        .thread = thread_name,
        .region = region_path,
        .name_of = name_of,
        .between = between,
        .put_heap_labels = put_heap_labels,
        .put_comments = put_comments};
    check_sites(&r);
    r.regions = image_regions(image);
    c_profile_write(file, &figures);
  }
  c_counters_release(&r.counters);
  free(r.loaded.objects);
  free(r.unloaded.objects);
  return good;
}
