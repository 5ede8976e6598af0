/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a Lisp program: as monitor/write/lisp_profile.c, but what
 * numbers stand for is in notes, and C names are still to be found.
 */

#include "recover/recover.h"

#include "base/array.h"
#include "symbols/code_names.h"
#include "write/lisp_source.h"
#include "write/sample_writer.h"

#include <errno.h>
#include <stdio.h>

/* Numbers of functions from here on are an enum site_special. */
enum { FUNCTIONS_OF_SPECIAL = 0x1FFFF00 };

struct lisp_recovery {
  const struct image *image;
  const struct image_notes *notes;
  const struct image_tree *tree; /* that is written */
  const char *thread;
  struct pprof_stream stream;
  struct sample_writer samples;
  struct code_names names;
  struct region_table regions;
  uint64_t allocations, bytes, contexts, threads;
};

/* ---- samples ----------------------------------------------------------- */

/* The type with those bits, or with those that all arrays or streams have. */
static const struct note *
find_type(const struct lisp_recovery *r, uint32_t what)
{
  const struct note *note =
      image_note_find(r->notes, NOTE_TYPE, NOTE_TYPE_BITS(what));
  return note != NULL ? note
                      : image_note_find(r->notes, NOTE_TYPE, what & 0xFF);
}

static void
put_labels(void *closure, const struct kind *kind)
{
  static const char *const categories[] = {"cons", "float", "struct",
                                           "other"};
  struct lisp_recovery *r = closure;
  struct pprof_stream *p = &r->stream;
  if (kind == NULL) {
    pprof_add_label(p, PPROF_LABEL_THREAD, r->thread);
    return;
  }
  const struct note *type = find_type(r, kind->what);
  const struct note *class =
      kind->clas == 0 ? NULL
                      : image_note_find(r->notes, NOTE_CLASS, kind->clas);
  pprof_add_label(p, PPROF_LABEL_TYPE,
                  class != NULL && class->value != 0 ? "STRUCTURE"
                  : type != NULL                     ? type->text
                                                     : "RAW-MEMORY");
  if (kind->clas != 0)
    pprof_add_label(p, PPROF_LABEL_CLASS,
                    class != NULL ? class->text : "[not named yet]");
  pprof_add_label(p, PPROF_LABEL_CATEGORY,
                  categories[type == NULL ? 3 : type->value & 3]);
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
  if (calls != 0)
    sample_writer_put(&r->samples, site, function, up, values, NULL);
}

static void
put_leaf(struct lisp_recovery *r, const struct leaf *leaf)
{
  const struct kind *kind = context_tree_kind(&r->tree->tree, leaf);
  const bool any = leaf->count != 0 || leaf->bytes != 0;
  uint64_t values[PPROF_COLUMNS] = {[PPROF_COUNT] = leaf->count,
                                    [PPROF_BYTES] = leaf->bytes};
  if (any && leaf->target == leaf->up && find_allocator(r, kind) == NULL)
    values[PPROF_CALLS] = leaf->activations;
  else
    put_calls(r, leaf->activations, leaf->site, leaf->function, leaf->up);
  r->allocations += leaf->count;
  r->bytes += leaf->bytes;
  r->contexts++;
  if (any)
    sample_writer_put(&r->samples, leaf->site, leaf->function, leaf->target,
                      values, kind);
}

static void
put_tree(struct lisp_recovery *r, const struct image_tree *tree)
{
  const struct context_tree *t = &tree->tree;
  uint64_t before = r->contexts;
  r->tree = tree;
  r->thread = image_note_text(r->notes, NOTE_THREAD, tree->owner, "?");
  sample_writer_begin(&r->samples, t, t->context_count);
  for (uint32_t i = LEAF_OVERFLOW; i < t->leaf_count; i++)
    if (image_leaf_counts(&t->leaves[i]))
      put_leaf(r, &t->leaves[i]);
  r->threads += r->contexts > before;
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++) {
    const struct context *c = &t->contexts[i];
    put_calls(r, c->activations, c->site, c->function, c->parent);
    r->contexts += c->site != 0;
  }
  sample_writer_end(&r->samples);
}

/* ---- functions and locations ------------------------------------------- */

struct recovered_function {
  const char *name, *system_name, *file;
  int64_t position; /* in bytes; -1: not known */
  uint64_t code, flags; /* sum of enum note_flag */
};

static uint32_t
number_at(uint64_t at)
{
  if ((at & SITE_PLACE) != 0)
    return (uint32_t)(at & FUNCTION_NUMBER);
  return (at & SITE_SPECIAL) != 0 && (at & (SITE_OBJECT | SITE_RETIRED)) == 0
             ? FUNCTIONS_OF_SPECIAL | (uint32_t)(at & 0xFF)
             : 0;
}

/* The C name of what is at `code'; "": it has none. */
static const char *
c_name(struct lisp_recovery *r, uint64_t code)
{
  const struct note_module *m = image_module_at(r->notes, code);
  struct code_module *module =
      m == NULL || m->path[0] != '/'
          ? NULL
          : code_names_module(&r->names, m->path, m->build_id);
  const struct code_place *place =
      module == NULL || module->outcome != CODE_FILE_GOOD
          ? NULL
          : code_names_place(&r->names, module, code - m->start + m->offset);
  if (place == NULL || !place->known || place->nameless || place->count == 0)
    return "";
  const struct code_line *line =
      &r->names.lines[place->first + place->count - 1];
  return names_text(&r->names.names, r->names.functions[line->function].name);
}

/* What has no name at all is called after its file. */
static const char *
file_name(const struct lisp_recovery *r, uint64_t code, char name[300])
{
  const struct note_module *m = image_module_at(r->notes, code);
  const char *slash = m == NULL ? NULL : strrchr(m->path, '/');
  if (m == NULL)
    return "[unknown]";
  snprintf(name, 300, "[%s]", slash == NULL ? m->path : slash + 1);
  return name;
}

static const char *
special_name(uint32_t special)
{
  static const char *const names[] = {
      "[unknown]", "[over the budget]", "[signal handler]", "[finalizers]",
      "[cut short]"};
  return special < sizeof names / sizeof *names ? names[special] : names[0];
}

static struct recovered_function
function_at(struct lisp_recovery *r, uint32_t number, char own[300])
{
  const struct note *note = image_note_find(r->notes, NOTE_FUNCTION, number);
  const struct note *source = image_note_find(r->notes, NOTE_SOURCE, number);
  struct recovered_function f = {
      .name = image_note_text(r->notes, NOTE_NAME, number, NULL),
      .system_name = "",
      .position = -1,
      .flags = NOTE_CALLS_KNOWN};
  if (number >= FUNCTIONS_OF_SPECIAL || (note == NULL && f.name == NULL)) {
    f.name = special_name(number >= FUNCTIONS_OF_SPECIAL
                              ? number - FUNCTIONS_OF_SPECIAL
                              : 0);
    return f;
  }
  if (note != NULL) {
    f.flags = note->value;
    f.code = note->more;
    f.system_name = note->text[0] != '\0' ? note->text : c_name(r, f.code);
  }
  if (source != NULL) {
    f.file = source->text;
    f.position = (int64_t)(source->value & INT32_MAX) - 1;
  }
  if (f.name == NULL)
    f.name = f.system_name[0] != '\0' ? f.system_name
                                      : file_name(r, f.code, own);
  return f;
}

static enum location_part
part_of(void *recovery, uint64_t at)
{
  const struct lisp_recovery *r = recovery;
  const uint32_t number = number_at(at);
  const struct note *note = image_note_find(r->notes, NOTE_FUNCTION, number);
  const char *name = image_note_text(r->notes, NOTE_NAME, number, "");
  if (note != NULL && (note->value & NOTE_RUNTIME) != 0)
    return LOCATION_HIDDEN;
  return strcmp(name, image_note_text(r->notes, NOTE_ROOT, 0, " ")) == 0
             ? LOCATION_ROOT
             : LOCATION_SHOWS;
}

/* A function goes by its number, and each location is one of its own. */
static void
put_locations(struct lisp_recovery *r)
{
  struct pprof_stream *p = &r->stream;
  struct intern_table known = {0}, unknown = {0}; /* names, by their calls */
  struct source_text source = {0};
  char own[300];
  for (uint32_t id = 1; id <= r->samples.locations.count; id++) {
    const struct recovered_function f = function_at(
        r, number_at(sample_writer_location(&r->samples, id)), own);
    const int64_t line = source_line(&source, f.file, f.position);
    pprof_put_function(p, id, f.name, f.system_name,
                       (f.flags & NOTE_RUNTIME) != 0 ? PPROF_RUNTIME_FILE
                                                     : f.file,
                       line);
    pprof_put_location(p, id, sample_writer_address(&r->samples, id, f.code),
                       id, sample_writer_line(&r->samples, id, line));
    if (intern_text((f.flags & NOTE_CALLS_KNOWN) != 0 ? &known : &unknown,
                    f.name) == 0)
      gzip_file_fail(p->output, ENOMEM);
  }
  for (uint32_t i = 1; i <= unknown.count && !pprof_failed(p); i++) {
    const uint32_t before = known.count;
    const char *const name = intern_table_text(&unknown, i);
    if (intern_text(&known, name) > before)
      pprof_put_comment(p, PPROF_COMMENT_CALLS_UNKNOWN, name);
  }
  intern_table_release(&known);
  intern_table_release(&unknown);
  free(source.text);
  free(source.path);
}

/* ---- the whole --------------------------------------------------------- */

static void
put_comments(struct lisp_recovery *r)
{
  struct pprof_stream *p = &r->stream;
  pprof_put_comment(p, PPROF_COMMENT_VERSION, MPROF_VERSION);
  pprof_put_comment(p, PPROF_COMMENT_LANGUAGE, "lisp");
  pprof_put_comment(p, PPROF_COMMENT_PROGRAM,
                    image_note_text(r->notes, NOTE_PROGRAM, 0, "ECL"));
  pprof_put_comment(p, PPROF_COMMENT_ROOT,
                    image_note_text(r->notes, NOTE_ROOT, 0, ""));
  pprof_put_count(p, PPROF_COMMENT_ALLOCATIONS, r->allocations);
  pprof_put_count(p, PPROF_COMMENT_BYTES, r->bytes);
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
                  r->samples.unattributed_count);
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_BYTES,
                  r->samples.unattributed_bytes);
  pprof_put_count(p, PPROF_COMMENT_CUT_ALLOCATIONS, r->samples.cut_count);
  region_table_comments(&r->regions, false, pprof_put_region, p);
  pprof_put_count(p, PPROF_COMMENT_CONTEXTS, r->contexts);
  pprof_put_count(p, PPROF_COMMENT_THREADS, r->threads);
  if (recover_note(r->image) != NULL)
    pprof_put_comment(p, PPROF_COMMENT_LOST_NOTE, recover_note(r->image));
}

bool
recover_lisp(struct image *image, const struct image_notes *notes,
             struct gzip_file *file, struct mprof_error *error)
{
  struct lisp_recovery r = {.image = image,
                            .notes = notes,
                            .stream.output = file,
                            .samples = {.stream = &r.stream,
                                        .put_labels = put_labels,
                                        .closure = &r,
                                        .part_of = part_of,
                                        .allocator = allocator}};
  if (!image_check_trees(image, error))
    return false;
  r.regions = image_regions(image);
  pprof_open(&r.stream, PPROF_LISP_COLUMNS);
  for (size_t i = 0; i < image->tree_count; i++)
    put_tree(&r, &image->trees[i]);
  put_locations(&r);
  put_comments(&r);
  sample_writer_release(&r.samples);
  pprof_close(&r.stream);
  code_names_release(&r.names);
  return true;
}
