/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- what samples of one tree have in common is found once:
 * the location number of each context (4 bytes a context while a profile is
 * written), the packed labels of each kind of object.  A sample is then
 * packed by hand, straight from the tree.  A profile of 10^6 contexts, up to
 * 24 frames deep, took 1.8 s with protobuf-c's messages and a look-up for
 * each frame, and takes 1.0 s so.
 */
#include "write/sample_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ecl/ecl.h>

#include "hook/classify.h"
#include "code/lisp_functions.h"
#include "names/kept_objects.h"
#include "names/lisp_name.h"
#include "profile.pb-c.h"
#include "threads/regions.h"

enum { FIELD_SAMPLE = 2, FIELD_LOCATIONS = 1, FIELD_VALUES = 2,
       FIELD_LABELS = 3 };

enum column {
  COLUMN_COUNT,
  COLUMN_BYTES,
  COLUMN_KEPT_COUNT,
  COLUMN_KEPT_BYTES,
  COLUMN_CALLS,
  COLUMNS
};

/* Room before the chain of a sample: the tag and the length of the sample,
 * and those of the chain. */
enum { HEAD_BYTES = 1 + VARINT_BYTES, HEAD_ROOM = 2 * HEAD_BYTES };

/* Where the labels of one kind are; length 0: not made yet. */
struct label_place {
  size_t start, length;
  bool classless;              /* there is a class, and it has no name */
};

struct tree_samples {
  struct sample_writer *writer;
  struct profile_output *output;
  const char *thread;
  const struct context_tree *tree;
  uint32_t *locations;         /* by context */
  struct label_place *places;  /* by kind */
  struct byte_run labels;      /* of the thread alone, then those of kinds */
  size_t thread_length;
  struct byte_run sample;
};

/* ---- locations --------------------------------------------------------- */

/* One site is one location, but in APPLY: what that counts as depends on its
 * caller. */
static uint32_t
location_id(struct tree_samples *s, uint64_t site, uint32_t function)
{
  bool passing = (function & FUNCTION_NUMBER) != 0 &&
                 (function & FUNCTION_NUMBER) == lisp_apply.passing;
  uint64_t id = number_map_add(s->writer->locations,
                               site | (passing ? SITE_PASSING : 0));
  if (id == 0 || id > UINT32_MAX)
    profile_output_fail(s->output, ENOMEM);
  return (uint32_t)id;
}

/* ---- labels ------------------------------------------------------------ */

static void
add_label(struct tree_samples *s, const Mprof__Pprof__Label *label)
{
  size_t n = mprof__pprof__label__get_packed_size(label);
  struct byte_run *run = &s->labels;
  if (!byte_run_reserve(run, HEAD_BYTES + n, s->output))
    return;
  run->bytes[run->count++] = FIELD_LABELS << 3 | 2;
  run->count = (size_t)(put_varint(run->bytes + run->count, n) - run->bytes);
  run->count += mprof__pprof__label__pack(label, run->bytes + run->count);
}

static void
add_text_label(struct tree_samples *s, const char *key, const char *value)
{
  Mprof__Pprof__Label label = MPROF__PPROF__LABEL__INIT;
  label.key = profile_output_string(s->output, key);
  label.str = profile_output_string(s->output, value);
  add_label(s, &label);
}

/* The class of a kind is only looked at when it has a name: then it is
 * kept. */
static void
add_kind_labels(struct tree_samples *s, const struct kind *kind)
{
  cl_object clas = (cl_object)(uintptr_t)kind->clas;
  const char *class_name =
      clas == OBJNULL ? NULL : kept_objects_class_name(clas);
  const char *type = classify_type_name(kind->what);
  if (class_name != NULL && lisp_name_is_structure(clas))
    type = "STRUCTURE";
  add_text_label(s, "type", type);
  if (class_name != NULL)
    add_text_label(s, "class", class_name);
  add_text_label(s, "category",
                 classify_category_name(classify_category(kind->what)));
  add_text_label(s, "thread", s->thread);
  if (KIND_REGION(kind->what) != 0)
    add_text_label(s, "region", regions_path(KIND_REGION(kind->what)));
  if (kind->size != 0 && kind->size != LEAF_LARGE) {
    Mprof__Pprof__Label size = MPROF__PPROF__LABEL__INIT;
    size.key = profile_output_string(s->output, "bytes");
    size.num = kind->size;
    size.num_unit = profile_output_string(s->output, "bytes");
    add_label(s, &size);
  }
}

static struct label_place
labels_of_kind(struct tree_samples *s, uint32_t kind)
{
  struct label_place *place = &s->places[kind];
  if (place->length == 0) {
    const struct kind *k = &s->tree->kinds[kind];
    place->start = s->labels.count;
    add_kind_labels(s, k);
    place->length = s->labels.count - place->start;
    place->classless =
        k->clas != 0 &&
        kept_objects_class_name((cl_object)(uintptr_t)k->clas) == NULL;
  }
  return *place;
}

/* ---- samples ----------------------------------------------------------- */

static void
add_location(struct tree_samples *s, uint32_t location)
{
  struct byte_run *run = &s->sample;
  if (!byte_run_reserve(run, VARINT_BYTES, s->output))
    return;
  run->count =
      (size_t)(put_varint(run->bytes + run->count, location) - run->bytes);
}

/* Begin a sample with the chain of a call at `location' below the context
 * `up'.  What has no chain is below the overflow, at no location. */
static void
begin_chain(struct tree_samples *s, uint32_t location, uint32_t up)
{
  s->sample.count = 0;
  if (!byte_run_reserve(&s->sample, HEAD_ROOM, s->output))
    return;
  s->sample.count = HEAD_ROOM;
  if (location != 0)
    add_location(s, location);
  for (; up != CONTEXT_ROOT; up = s->tree->contexts[up].parent)
    add_location(s, s->locations[up]);
}

/* Put the tag and the length of the bytes from `start' on before them; gives
 * back where these begin. */
static size_t
put_head(struct byte_run *run, size_t start, unsigned field, size_t length)
{
  uint8_t head[HEAD_BYTES], *end = head;
  *end++ = (uint8_t)(field << 3 | 2);
  end = put_varint(end, length);
  start -= (size_t)(end - head);
  memcpy(run->bytes + start, head, (size_t)(end - head));
  return start;
}

/* Complete and write the sample whose chain has been put. */
static void
put_sample(struct tree_samples *s, const uint64_t *values,
           struct label_place labels)
{
  struct byte_run *run = &s->sample;
  uint8_t packed[COLUMNS * VARINT_BYTES], *end = packed, *at;
  size_t start = HEAD_ROOM, length;
  for (int i = 0; i < COLUMNS; i++)
    end = put_varint(end, values[i]);
  length = (size_t)(end - packed);
  if (s->output->failed != 0 ||
      !byte_run_reserve(run, HEAD_BYTES + length + labels.length, s->output))
    return;
  start = put_head(run, start, FIELD_LOCATIONS, run->count - start);
  at = run->bytes + run->count;
  *at++ = FIELD_VALUES << 3 | 2;
  at = put_varint(at, length);
  memcpy(at, packed, length);
  memcpy(at + length, s->labels.bytes + labels.start, labels.length);
  run->count = (size_t)(at - run->bytes) + length + labels.length;
  start = put_head(run, start, FIELD_SAMPLE, run->count - start);
  profile_output_raw(s->output, run, start);
}

/* The calls that are counted in a context or leaf. */
static void
put_activations(struct tree_samples *s, uint64_t activations,
                uint32_t location, uint32_t up)
{
  const uint64_t values[COLUMNS] = { [COLUMN_CALLS] = activations };
  begin_chain(s, location, up);
  put_sample(s, values,
             (struct label_place){ .start = 0, .length = s->thread_length });
}

static void
put_leaf(struct tree_samples *s, const struct leaf *leaf)
{
  uint64_t values[COLUMNS] = { [COLUMN_COUNT] = leaf->count,
                               [COLUMN_BYTES] = leaf->bytes };
  bool any = leaf->count != 0 || leaf->bytes != 0;
  uint32_t location = 0;
  if (leaf->up == CONTEXT_OVERFLOW) {
    s->writer->unattributed_count += leaf->count;
    s->writer->unattributed_bytes += leaf->bytes;
    if (any && s->locations[CONTEXT_OVERFLOW] == 0)
      s->locations[CONTEXT_OVERFLOW] =
          location_id(s, s->tree->contexts[CONTEXT_OVERFLOW].site, 0);
  } else {
    location = location_id(s, leaf->site, leaf->function);
    if (any && leaf->target == leaf->up)
      values[COLUMN_CALLS] = leaf->activations;
    else if (leaf->activations != 0)
      put_activations(s, leaf->activations, location, leaf->up);
  }
  if (any) {
    struct label_place labels = labels_of_kind(s, leaf->kind);
    if (labels.classless)
      s->writer->classless_count += leaf->count;
    begin_chain(s, location, leaf->target);
    put_sample(s, values, labels);
  }
}

static void
put_all(struct tree_samples *s)
{
  const struct context_tree *tree = s->tree;
  add_text_label(s, "thread", s->thread);
  s->thread_length = s->labels.count;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    s->locations[i] =
        location_id(s, tree->contexts[i].site, tree->contexts[i].function);
  for (uint32_t i = 1; i < tree->leaf_count && s->output->failed == 0; i++)
    put_leaf(s, &tree->leaves[i]);
  if (tree->overflowed != 0)
    put_leaf(s, &tree->leaves[tree->budget]);
  for (uint32_t i = CONTEXT_FIRST;
       i < tree->context_count && s->output->failed == 0; i++) {
    const struct context *c = &tree->contexts[i];
    if (c->activations != 0)
      put_activations(s, c->activations, s->locations[i], c->parent);
  }
}

void
sample_writer_put(struct sample_writer *writer,
                  const struct thread_figures *thread)
{
  struct tree_samples s = { .writer = writer,
                            .output = writer->output,
                            .thread = thread->name,
                            .tree = thread->tree };
  s.locations = calloc(s.tree->context_count, sizeof *s.locations);
  s.places = calloc(s.tree->kind_count, sizeof *s.places);
  if (s.locations == NULL || s.places == NULL)
    profile_output_fail(s.output, ENOMEM);
  else
    put_all(&s);
  free(s.locations);
  free(s.places);
  byte_run_release(&s.labels);
  byte_run_release(&s.sample);
}
