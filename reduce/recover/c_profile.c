/* SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Samples come first, so that the locations that they use are known when their
 * turn comes.  A leaf becomes a sample of objects.
 */

#include "recover/c_profile.h"

#include "recover/sample_writer.h"

#include <errno.h>

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

/* What there is to say of the calls of a context. */
struct context_calls {
  uint64_t allocations; /* below it */
  uint32_t length;      /* of its chain */
  bool counts;          /* its call is the first of its kind on the chain */
};

struct c_writer {
  struct pprof_stream stream;
  struct sample_writer samples;
  const struct c_figures *figures;
  struct intern_table names; /* of functions, as the other heap has them */
};

/* ---- samples ---- */

/* In a file that has the objects of Lisp as well. */
static void
put_heap_labels(struct c_writer *w, const struct kind *kind)
{
  struct pprof_stream *const p = &w->stream;
  if (kind->what != 0) {
    w->figures->put_heap_labels(w->figures->closure, p, kind);
  } else {
    pprof_add_label(p, PPROF_LABEL_TYPE, PPROF_TYPE_OF_MALLOC);
    pprof_add_label(p, PPROF_LABEL_CATEGORY, "other");
  }
}

static void
put_labels(void *closure, const struct kind *kind)
{
  struct c_writer *const w = closure;
  const struct c_figures *const f = w->figures;
  struct pprof_stream *const p = &w->stream;
  const uint32_t thread = kind == NULL ? 0 : CLAS_THREAD(kind->clas);
  const uint32_t region = kind == NULL ? 0 : CLAS_REGION(kind->clas);
  if (kind != NULL && f->lisp)
    put_heap_labels(w, kind);
  if (kind != NULL && kind->size != LEAF_LARGE)
    pprof_add_number_label(p, PPROF_LABEL_BYTES, kind->size);
  if (thread != 0)
    pprof_add_label(p, PPROF_LABEL_THREAD, f->thread(f->closure, thread));
  if (region != 0)
    pprof_add_label(p, PPROF_LABEL_REGION, f->region(f->closure, region));
}

/* Whether `function', called below `up', is called by the same function
 * further out as well. */
static bool
arc_is_above(const struct context *contexts, uint32_t up, uint32_t function)
{
  const uint32_t caller = contexts[up].function;
  if (function == 0 || caller == 0)
    return false;
  for (; up != CONTEXT_ROOT; up = contexts[up].parent)
    if (contexts[up].function == function &&
        contexts[contexts[up].parent].function == caller)
      return true;
  return false;
}

static void
put_leaf(struct c_writer *w, uint32_t number)
{
  const struct c_figures *const f = w->figures;
  const struct leaf *leaf = &f->tree->leaves[number];
  const struct leaf_life life = f->lives[number];
  const struct leaf_loss loss =
      f->losses != NULL ? f->losses[number] : (struct leaf_loss){0};
  const uint64_t values[PPROF_COLUMNS] = {
    [PPROF_COUNT] = leaf->count,
    [PPROF_BYTES] = leaf->bytes,
    [PPROF_KEPT_COUNT] = life.allocated.count - life.freed.count,
    [PPROF_KEPT_BYTES] = life.allocated.bytes - life.freed.bytes,
    [PPROF_CALLS] =
        arc_is_above(f->tree->contexts, leaf->up, leaf->function)
            ? 0
            : leaf->count,
    [PPROF_PEAK_COUNT] = life.at_peak.count,
    [PPROF_PEAK_BYTES] = life.at_peak.bytes,
    [PPROF_TEMPORARY] = life.temporary_count,
    [PPROF_LOST_COUNT] = loss.direct.count,
    [PPROF_LOST_BYTES] = loss.direct.bytes,
    [PPROF_INDIRECT_COUNT] = loss.indirect.count,
    [PPROF_INDIRECT_BYTES] = loss.indirect.bytes,
  };
  if (leaf->count != 0)
    sample_writer_put(&w->samples, leaf->site, leaf->function, leaf->up,
                      values, context_tree_kind(f->tree, leaf));
}

/* Parents have smaller numbers than their children.  The tree knows of most
 * calls whether they are the first of their kind. */
static void
measure_contexts(const struct c_figures *f, struct context_calls *calls)
{
  const struct context_tree *const tree = f->tree;
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++)
    calls[tree->leaves[i].up].allocations += tree->leaves[i].count;
  for (uint32_t i = tree->context_count - 1; i > CONTEXT_ROOT; i--)
    calls[tree->contexts[i].parent].allocations += calls[i].allocations;
  for (uint32_t i = CONTEXT_OVERFLOW; i < tree->context_count; i++) {
    const struct context *c = &tree->contexts[i];
    if (context_tree_is_over(tree, i))
      calls[i].allocations = 0; /* its leaves count its calls */
    calls[i].length = calls[c->parent].length + 1;
    calls[i].counts = c->new_arc || !arc_is_above(tree->contexts, c->parent,
                                                 c->function);
  }
}

/* The allocations below a context are the calls that led to one, once each
 * however often a function called the other on the way: a context of a call
 * that is on its chain already counts none.  Most contexts count theirs,
 * which a reader can add up; then only those are written that do not, and the
 * file says so.  Calls count one more there: other programs drop samples that
 * are all zero.  If recursion is not folded it may be the other way
 * round, and their chains are long. */
static void
put_contexts(struct c_writer *w, const struct context_calls *calls)
{
  const struct context_tree *tree = w->figures->tree;
  uint64_t counting = 0, others = 0, stated = 0;
  bool all;
  for (uint32_t i = CONTEXT_OVERFLOW; i < tree->context_count; i++)
    if (calls[i].allocations != 0)
      *(calls[i].counts ? &counting : &others) += calls[i].length;
  all = counting < others;
  for (uint32_t i = CONTEXT_OVERFLOW; i < tree->context_count; i++)
    if (calls[i].allocations != 0 && calls[i].counts == all) {
      const struct context *c = &tree->contexts[i];
      const uint64_t values[PPROF_COLUMNS] = {
        [PPROF_CALLS] = all ? calls[i].allocations : 1
      };
      sample_writer_put(&w->samples, c->site, c->function, c->parent, values,
                        NULL);
      stated++;
    }
  if (!all)
    pprof_put_count(&w->stream, PPROF_COMMENT_STATED_CALLS, stated);
}

static void
put_samples(struct c_writer *w)
{
  const struct context_tree *tree = w->figures->tree;
  struct arena calls = { 0 };
  sample_writer_begin(&w->samples, tree, tree->context_count);
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++)
    put_leaf(w, i);
  if (pprof_reserve(&w->stream, &calls,
                    tree->context_count * sizeof(struct context_calls))) {
    measure_contexts(w->figures, calls.base);
    put_contexts(w, calls.base);
  }
  arena_release(&calls);
  sample_writer_end(&w->samples);
}

/* ---- mappings and locations ---- */

static void
put_mapping(struct pprof_stream *p, uint64_t id, const struct code_object *o)
{
  char build_id[2 * BUILD_ID_BYTES + 1] = "";
  for (size_t i = 0; i < 2 * o->build_id_size; i++)
    build_id[i] =
        "0123456789abcdef"[o->build_id[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
  pprof_begin(p);
  pprof_add_field(p, PPROF_MAPPING_ID, id);
  pprof_add_field(p, PPROF_MAPPING_START, o->start);
  pprof_add_field(p, PPROF_MAPPING_END, o->end);
  pprof_add_field(p, PPROF_MAPPING_OFFSET, o->file_offset);
  pprof_add_field(p, PPROF_MAPPING_FILE, pprof_string(p, o->path));
  pprof_add_field(p, PPROF_MAPPING_BUILD_ID, pprof_string(p, build_id));
  pprof_end(p, PPROF_MAPPING);
}

/* Mappings are numbered from one: those that are loaded, then the others. */
static void
put_mappings(struct c_writer *w)
{
  uint64_t id = 1;
  const struct code_objects *const loaded = w->figures->loaded;
  const struct code_objects *const unloaded = w->figures->unloaded;
  for (size_t i = 0; i < loaded->count; i++)
    put_mapping(&w->stream, id++, &loaded->objects[i]);
  for (size_t i = 0; i < unloaded->count; i++)
    put_mapping(&w->stream, id++, &unloaded->objects[i]);
}

/* What stands where there is no address: callers that went over the budget,
 * libraries beyond CODE_OBJECTS, and what a walk did not reach. */
static const char *const functions[] = {"[over the budget]",
                                        "[unloaded code]", "[cut short]"};
enum { OVER_THE_BUDGET = 1, UNLOADED_CODE, CUT_SHORT, FUNCTIONS_END };

/* The name that the other heap has for what is at a location; NULL: none. */
static const char *
name_of(const struct c_writer *w, uint32_t id, uint64_t site)
{
  if ((site & SITE_SPECIAL) != 0)
    return NULL;
  return w->figures->name_of(
      w->figures->closure, site,
      sample_writer_function(&w->samples, id) & FUNCTION_NUMBER);
}

/* The function with that name, in the file. */
static uint64_t
function_of_name(struct c_writer *w, const char *name)
{
  return FUNCTIONS_END - 1 + intern_text(&w->names, name);
}

/* The address of a location is in the call, not what that returns to. */
static void
put_location(struct c_writer *w, uint32_t id, uint64_t site)
{
  const char *const name = name_of(w, id, site);
  const struct code_objects *const loaded = w->figures->loaded;
  const struct code_objects *const unloaded = w->figures->unloaded;
  struct pprof_stream *p = &w->stream;
  uint64_t mapping = 0, address = 0, function = OVER_THE_BUDGET;
  if ((site & SITE_OBJECT) != 0) {
    function = OVER_THE_BUDGET; /* if it has no name */
  } else if (site == SITE_RETIRED) {
    function = UNLOADED_CODE;
  } else if (site == (SITE_SPECIAL | SITE_CUT_SHORT)) {
    function = CUT_SHORT;
  } else if ((site & SITE_RETIRED) != 0) {
    const size_t number = RETIRED_OBJECT(site);
    address = unloaded->objects[number - 1].start + RETIRED_OFFSET(site);
    mapping = loaded->count + number;
  } else if ((site & SITE_SPECIAL) == 0) {
    const struct code_object *o = code_objects_find(loaded, site - 1);
    address = site;
    mapping = o == NULL ? 0 : (uint64_t)(o - loaded->objects) + 1;
  }
  pprof_begin(p);
  pprof_add_field(p, PPROF_LOCATION_ID, id);
  pprof_add_field(p, PPROF_LOCATION_MAPPING, mapping);
  if (name != NULL)
    function = function_of_name(w, name);
  if (address != 0)
    pprof_add_field(p, PPROF_LOCATION_ADDRESS, address - 1);
  if (address == 0 || name != NULL) {
    const size_t start = p->length;
    pprof_add_field(p, PPROF_LINE_FUNCTION, function);
    pprof_nest(p, PPROF_LOCATION_LINE, start);
  }
  pprof_end(p, PPROF_LOCATION);
}

static void
put_locations(struct c_writer *w)
{
  struct pprof_stream *p = &w->stream;
  for (uint32_t id = 1; id <= w->samples.locations.count; id++)
    put_location(w, id, sample_writer_location(&w->samples, id));
  for (uint64_t id = OVER_THE_BUDGET; id < FUNCTIONS_END; id++) {
    pprof_begin(p);
    pprof_add_field(p, PPROF_FUNCTION_ID, id);
    pprof_add_field(p, PPROF_FUNCTION_NAME,
                    pprof_string(p, functions[id - 1]));
    pprof_end(p, PPROF_FUNCTION);
  }
  for (uint32_t n = 1; n <= w->names.count; n++) {
    const uint64_t name = pprof_string(p, intern_table_text(&w->names, n));
    pprof_begin(p);
    pprof_add_field(p, PPROF_FUNCTION_ID, FUNCTIONS_END - 1 + n);
    pprof_add_field(p, PPROF_FUNCTION_NAME, name);
    pprof_end(p, PPROF_FUNCTION);
  }
}

/* ---- the whole ---- */

static void
put_comments(struct c_writer *w)
{
  const struct c_figures *const f = w->figures;
  struct pprof_stream *p = &w->stream;
  pprof_put_comment(p, PPROF_COMMENT_VERSION, MPROF_VERSION);
  pprof_put_comment(p, PPROF_COMMENT_LANGUAGE, f->lisp ? "lisp" : "c");
  if (f->loaded->count > 0)
    pprof_put_comment(p, PPROF_COMMENT_PROGRAM, f->loaded->objects[0].path);
  pprof_put_count(p, PPROF_COMMENT_ALLOCATIONS, f->total.count);
  pprof_put_count(p, PPROF_COMMENT_BYTES, f->total.bytes);
  pprof_put_count(p, PPROF_COMMENT_PEAK_BYTES, f->total.peak_bytes);
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
                  w->samples.unattributed_count);
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_BYTES,
                  w->samples.unattributed_bytes);
  pprof_put_count(p, PPROF_COMMENT_CUT_ALLOCATIONS, w->samples.cut_count);
  f->put_comments(f->closure, p);
}

static uint64_t
between(void *closure, uint64_t site, uint32_t function, uint32_t callee)
{
  const struct c_figures *const f = ((struct c_writer *)closure)->figures;
  return f->between(f->closure, site, function, callee);
}

void
c_profile_write(struct octets *file,
                     const struct c_figures *figures)
{
  struct c_writer w = {
    .stream.output = file,
    .samples = { .stream = &w.stream, .put_labels = put_labels,
                 .between = figures->lisp ? between : NULL, .closure = &w },
    .figures = figures
  };
  pprof_open(&w.stream,
             figures->losses != NULL ? PPROF_REACH_COLUMNS : PPROF_C_COLUMNS);
  put_samples(&w);
  put_mappings(&w);
  put_locations(&w);
  put_comments(&w);
  sample_writer_release(&w.samples);
  intern_table_release(&w.names);
  pprof_close(&w.stream);
}
