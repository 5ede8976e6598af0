/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.c -- samples come first, so that the locations that they use
 * are known when their turn comes, and the functions of these.
 *
 * A leaf becomes a sample of objects, a context that was entered one of
 * calls.  The calls that a leaf counts stand in the same sample when its
 * chain is theirs, else (the call was folded, or the chain goes on to the
 * allocator) in one of their own.
 *
 * A site becomes one location of one line: its own, or if that is not known
 * where the form of its function begins.
 */
#include "write/lisp_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ecl/ecl.h>

#include "holders/holders.h"
#include "names/boxes.h"
#include "names/classify.h"
#include "names/kept_objects.h"
#include "names/lisp_functions.h"
#include "names/lisp_printer.h"
#include "threads/threads.h"
#include "write/lisp_holders.h"
#include "write/lisp_source.h"

struct lisp_writer {
  struct pprof_stream stream;
  struct sample_writer samples;
  const struct thread_figures *figures; /* whose samples are written */
  bool heap;                         /* as MPROF_HEAP says */
  uint64_t classless_count;          /* objects of a class that has no name */
};

/* ---- samples ---- */

/* The name of the class of that kind; NULL: it has none, or its name found no
 * room, and then the class may be gone. */
static const char *
class_name(const struct kind *kind)
{
  return kind->clas == 0
             ? NULL
             : kept_objects_class_name((cl_object)(uintptr_t)kind->clas);
}

static void
put_labels(void *closure, const struct kind *kind)
{
  struct lisp_writer *w = closure;
  struct pprof_stream *p = &w->stream;
  const char *class = kind == NULL ? NULL : class_name(kind);
  if (kind == NULL) {
    pprof_add_label(p, PPROF_LABEL_THREAD, w->figures->thread->label);
    return;
  }
  pprof_add_label(p, PPROF_LABEL_TYPE,
                  class != NULL && lisp_printer_is_structure(
                                       (cl_object)(uintptr_t)kind->clas)
                      ? "STRUCTURE"
                      : classify_type_name(kind->what));
  if (class != NULL)
    pprof_add_label(p, PPROF_LABEL_CLASS, class);
  if (w->heap)
    return;
  pprof_add_label(p, PPROF_LABEL_CATEGORY,
                  classify_category_name(classify_category(kind->what)));
  pprof_add_label(p, PPROF_LABEL_THREAD, w->figures->thread->label);
  if (KIND_REGION(kind->what) != 0)
    pprof_add_label(p, PPROF_LABEL_REGION,
                    monitor.regions.regions[KIND_REGION(kind->what)].path);
  if (kind->size != 0 && kind->size != LEAF_LARGE)
    pprof_add_number_label(p, PPROF_LABEL_BYTES, kind->size);
}

static uint64_t
allocator(void *closure, const struct kind *kind)
{
  (void)closure;
  return boxes_site(kind->what);
}

static void
put_calls(struct lisp_writer *w, uint64_t calls, uint64_t site,
          uint32_t function, uint32_t up)
{
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_CALLS] = calls};
  if (calls != 0 && !w->heap)
    sample_writer_put(&w->samples, site, function, up, values, NULL);
}

/* Put what became of the objects of a leaf into `values', and what has died
 * before its first collection into `live': all that is nowhere else. */
static void
add_survival(uint64_t *values, const struct leaf *leaf,
             struct live_survival *live)
{
  struct live_count *const early = &live->died[0];
  *early = (struct live_count){leaf->count, leaf->bytes};
  for (int i = 0; i < LIVE_BANDS; i++) {
    early->objects -= live->alive[i].objects;
    early->bytes -= live->alive[i].bytes;
  }
  for (int i = 1; i < LIVE_BANDS; i++) {
    early->objects -= live->died[i].objects;
    early->bytes -= live->died[i].bytes;
    values[PPROF_KEPT_COUNT] += live->alive[i].objects;
    values[PPROF_KEPT_BYTES] += live->alive[i].bytes;
  }
  memcpy(&values[PPROF_SURVIVAL], live, sizeof *live);
}

static void
put_leaf(struct lisp_writer *w, const struct leaf *leaf,
         struct live_survival *live)
{
  const struct kind *kind = context_tree_kind(&w->figures->tree, leaf);
  const bool any = leaf->count != 0 || leaf->bytes != 0;
  uint64_t values[PPROF_COLUMNS] = {
      [PPROF_COUNT] = leaf->count, [PPROF_BYTES] = leaf->bytes};
  if (live != NULL)
    add_survival(values, leaf, live);
  if (any && leaf->target == leaf->up && boxes_site(kind->what) == 0)
    values[PPROF_CALLS] = leaf->activations;
  else
    put_calls(w, leaf->activations, leaf->site, leaf->function, leaf->up);
  if (!any)
    return;
  if (kind->clas != 0 && class_name(kind) == NULL)
    w->classless_count += leaf->count;
  sample_writer_put(&w->samples, leaf->site, leaf->function, leaf->target,
                    values, kind);
}

static void
put_thread(struct lisp_writer *w, const struct thread_figures *t)
{
  const struct context_tree *tree = &t->tree;
  w->figures = t;
  if (t->thread->label == NULL)
    gzip_file_fail(w->stream.output, ENOMEM);
  sample_writer_begin(&w->samples, tree, t->context_count);
  for (uint32_t i = 1; i < t->leaf_count; i++) {
    const struct leaf leaf = lisp_figures_leaf(t, i);
    put_leaf(w, &leaf, t->live == NULL ? NULL : &t->live[i]);
  }
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++) {
    const struct context *c = &tree->contexts[i];
    put_calls(w, t->activations[i], c->site, c->function, c->parent);
  }
  sample_writer_end(&w->samples);
}

/* ---- functions and locations ---- */

/* Readers tell functions by their names: of several with one name the calls
 * are unknown only if no one's are known. */
static void
put_unknown_calls(struct pprof_stream *p,
                  const struct intern_table *functions,
                  struct intern_table *known)
{
  for (uint32_t i = 1; i <= functions->count; i++) {
    const struct code_function *f =
        site_function((uint32_t)intern_table_key(functions, i));
    const uint32_t before = known->count;
    uint32_t name;
    if (f->calls_known)
      continue;
    name = intern_text(known, f->name);
    if (name == 0)
      gzip_file_fail(p->output, ENOMEM);
    else if (name > before)
      pprof_put_comment(p, PPROF_COMMENT_CALLS_UNKNOWN, f->name);
  }
}

/* A function is written before the first location that needs it, and its
 * line is looked for once. */
static void
put_locations(struct pprof_stream *p, const struct sample_writer *samples)
{
  const size_t count = samples->locations.count + (size_t)1;
  struct intern_table functions = {0}; /* by their numbers */
  struct intern_table known = {0};     /* names of those with known calls */
  struct source_text source = {0};
  struct arena arena = {0};
  int64_t *lines; /* of functions */
  if (!pprof_reserve(p, &arena, count * sizeof *lines))
    return;
  lines = arena.base;
  for (uint32_t id = 1; id < count; id++) {
    const uint64_t at = sample_writer_location(samples, id);
    const uint32_t number = site_function_number(at);
    const struct code_function *const f = site_function(number);
    const uint32_t before = functions.count;
    const uint32_t function = intern_key(&functions, number);
    if (function == 0) {
      gzip_file_fail(p->output, ENOMEM);
      break;
    }
    if (function > before) {
      lines[function] = source_line(&source, f->file, f->file_position);
      pprof_put_function(p, function, f->name, f->system_name,
                         f->runtime ? PPROF_RUNTIME_FILE : f->file,
                         lines[function]);
      if (f->calls_known && intern_text(&known, f->name) == 0)
        gzip_file_fail(p->output, ENOMEM);
    }
    pprof_put_location(p, id, sample_writer_address(samples, id, f->code),
                       function,
                       sample_writer_line(samples, id, lines[function]));
  }
  put_unknown_calls(p, &functions, &known);
  free(source.text);
  free(source.path);
  intern_table_release(&known);
  intern_table_release(&functions);
  arena_release(&arena);
}

/* ---- the whole ---- */

static enum location_part
part_of(void *closure, uint64_t at)
{
  const struct code_function *const f =
      site_function(site_function_number(at));
  (void)closure;
  if (f->runtime)
    return LOCATION_HIDDEN;
  return f->name != NULL && strcmp(f->name, MPROF_ROOT_FUNCTION) == 0
             ? LOCATION_ROOT
             : LOCATION_SHOWS;
}

/* Who holds what; before there is any sample. */
static void
put_holders(struct lisp_writer *w)
{
  struct holders holders = {0};
  if (holders_find(&holders))
    lisp_holders_put(&w->stream, &holders);
  else
    gzip_file_fail(w->stream.output, ENOMEM);
  holders_release(&holders);
}

static void
put_profile(struct lisp_writer *w, const struct lisp_figures *figures,
            bool holders)
{
  w->heap = figures->heap;
  w->samples.shown = figures->heap;
  pprof_open(&w->stream, holders          ? PPROF_HELD_COLUMNS
                         : monitor.follow ? PPROF_LIVE_COLUMNS
                                          : PPROF_LISP_COLUMNS);
  if (holders)
    put_holders(w);
  for (size_t i = 0; i < figures->thread_count; i++)
    if (figures->threads[i].leaf_count > LEAF_FIRST)
      put_thread(w, &figures->threads[i]);
  put_locations(&w->stream, &w->samples);
  lisp_comments_put(&w->stream, figures, &w->samples, w->classless_count);
  sample_writer_release(&w->samples);
  pprof_close(&w->stream);
}

void
lisp_profile_put(struct gzip_file *file, const struct lisp_figures *figures,
                 bool holders)
{
  struct lisp_writer w = {.stream.output = file,
                          .samples = {.stream = &w.stream,
                                      .put_labels = put_labels,
                                      .closure = &w,
                                      .part_of = part_of,
                                      .allocator = allocator}};
  put_profile(&w, figures, holders && monitor.follow);
}
