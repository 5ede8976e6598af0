/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reduction as a profile file again: what was selected, without what is
 * hidden, several files as one.  mprof-data(5) says what is in it; the tables
 * of the file are the tables that the same options print of the original.
 *
 * Chains are those that show, with lines and addresses of their frames.
 * Samples that are alike in chain, type, thread, region, phase and size are
 * one.  A
 * phase follows from functions that may be hidden, so each sample states its
 * own.  Comments that speak of more than what is written are left out: the
 * collector's figures when samples are left out, the root of profiled bodies
 * when what it cuts off is gone.
 *
 * The message is packed by protobuf-c in pieces, one for each sample, whose
 * concatenation is the whole.  Strings are numbered as they are met, and come
 * last.
 */

#include "export/chain_tree.h"
#include "export/export.h"
#include "io/gzip_sink.h"
#include "profile/array.h"

#include "profile.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
  COLUMN_ALLOCS,
  COLUMN_BYTES,
  COLUMN_KEPT_ALLOCS,
  COLUMN_KEPT_BYTES,
  COLUMN_ACTIVATIONS,
  COLUMN_PEAK_ALLOCS,
  COLUMN_PEAK_BYTES,
  COLUMN_TEMPORARY,
  COLUMN_COUNT
};

enum { MOST_LABELS = 7 };

/* Samples that become one. */
struct pprof_row {
  uint32_t chain, type, thread, region;
  unsigned phase;
  bool is_calls; /* of calls, not of allocations */
  enum size_kind size_kind;
  uint64_t object_bytes;
  uint64_t values[COLUMN_COUNT];
};

struct pprof {
  const struct reduction *reduction;
  struct sink *sink; /* of the bytes before compression */
  bool has_column[COLUMN_COUNT];
  struct chain_tree tree;
  struct names strings; /* of the file */
  uint32_t *locations;  /* by item of the tree: id, 0 for none */
  uint32_t location_count;
  uint32_t *functions; /* by function, then by enum nameless: likewise */
  uint32_t function_count;
  uint8_t *packed; /* a message */
  size_t packed_capacity;
  uint64_t *path; /* location ids of a chain */
  size_t path_capacity;
};

static int64_t
string_index(struct pprof *pprof, const char *text)
{
  uint32_t id = names_intern(&pprof->strings, text);
  if (id == NAMES_NONE)
    sink_fail(pprof->sink, ENOMEM);
  return id == NAMES_NONE ? 0 : (int64_t)id;
}

/* Writes a part of the profile: MESSAGE is one with some fields set. */
static void
write_part(struct pprof *pprof, const Mprof__Pprof__Profile *message)
{
  size_t length = mprof__pprof__profile__get_packed_size(message);
  uint8_t *packed = array_reserve(pprof->packed, &pprof->packed_capacity,
                                  length, sizeof *packed);
  if (packed == NULL) {
    sink_fail(pprof->sink, ENOMEM);
    return;
  }
  pprof->packed = packed;
  mprof__pprof__profile__pack(message, packed);
  sink_bytes(pprof->sink, (const char *)packed, length);
}

/* Which columns the profile has, in the order of sample_types: what other
 * programs left out is not made up. */
static void
choose_columns(struct pprof *pprof)
{
  const struct profile *profile = &pprof->reduction->profile;
  const struct profile_gaps *gaps = &profile->gaps;
  size_t files = profile->file_count;
  bool live = files > 0 && gaps->live == files;
  bool counts = files == 0 || gaps->countless != files;
  pprof->has_column[COLUMN_ALLOCS] = !live && counts;
  pprof->has_column[COLUMN_BYTES] = !live;
  pprof->has_column[COLUMN_KEPT_ALLOCS] = profile->has_kept && counts;
  pprof->has_column[COLUMN_KEPT_BYTES] = profile->has_kept;
  pprof->has_column[COLUMN_ACTIVATIONS] = profile->has_activations;
  pprof->has_column[COLUMN_PEAK_ALLOCS] = profile->has_peak;
  pprof->has_column[COLUMN_PEAK_BYTES] = profile->has_peak;
  pprof->has_column[COLUMN_TEMPORARY] = profile->has_temporary;
}

static void
write_sample_types(struct pprof *pprof)
{
  static const struct {
    const char *type, *unit;
  } names[COLUMN_COUNT] = {
      [COLUMN_ALLOCS] = {"alloc_objects", "count"},
      [COLUMN_BYTES] = {"alloc_space", "bytes"},
      [COLUMN_KEPT_ALLOCS] = {"inuse_objects", "count"},
      [COLUMN_KEPT_BYTES] = {"inuse_space", "bytes"},
      [COLUMN_ACTIVATIONS] = {"activations", "count"},
      [COLUMN_PEAK_ALLOCS] = {"peak_objects", "count"},
      [COLUMN_PEAK_BYTES] = {"peak_space", "bytes"},
      [COLUMN_TEMPORARY] = {"temporary_objects", "count"}};
  static const size_t columns_of_measures[MEASURE_COUNT] = {
      [MEASURE_BYTES] = COLUMN_BYTES,
      [MEASURE_ALLOCS] = COLUMN_ALLOCS,
      [MEASURE_KEPT_BYTES] = COLUMN_KEPT_BYTES,
      [MEASURE_KEPT_ALLOCS] = COLUMN_KEPT_ALLOCS,
      [MEASURE_PEAK_BYTES] = COLUMN_PEAK_BYTES,
      [MEASURE_PEAK_ALLOCS] = COLUMN_PEAK_ALLOCS,
      [MEASURE_TEMPORARY_ALLOCS] = COLUMN_TEMPORARY};
  const struct profile_gaps *gaps = &pprof->reduction->profile.gaps;
  Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
  Mprof__Pprof__ValueType period = MPROF__PPROF__VALUE_TYPE__INIT;
  Mprof__Pprof__ValueType types[COLUMN_COUNT];
  Mprof__Pprof__ValueType *pointers[COLUMN_COUNT];
  message.sample_type = pointers;
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    if (!pprof->has_column[i])
      continue;
    Mprof__Pprof__ValueType *type = &types[message.n_sample_type];
    mprof__pprof__value_type__init(type);
    type->type = string_index(pprof, names[i].type);
    type->unit = string_index(pprof, names[i].unit);
    pointers[message.n_sample_type++] = type;
  }
  period.type = string_index(pprof, "space");
  period.unit = string_index(pprof, "bytes");
  message.period_type = &period;
  message.period = gaps->sampled != 0 ? gaps->period : 1;
  size_t shown = columns_of_measures[pprof->reduction->options->value];
  if (!pprof->has_column[shown])
    shown =
        pprof->has_column[COLUMN_BYTES] ? COLUMN_BYTES : COLUMN_KEPT_BYTES;
  message.default_sample_type = string_index(pprof, names[shown].type);
  write_part(pprof, &message);
}

/* The system name stays empty: pprof takes a name that is the same as it for
 * one of C++, and takes out what it thinks are parameters. */
static void
write_function(struct pprof *pprof, uint32_t id, const char *name,
               uint32_t file, int64_t start_line)
{
  Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
  Mprof__Pprof__Function function = MPROF__PPROF__FUNCTION__INIT;
  Mprof__Pprof__Function *pointer = &function;
  function.id = id;
  function.name = string_index(pprof, name);
  function.filename =
      string_index(pprof, names_text(&pprof->reduction->profile.names, file));
  function.start_line = start_line;
  message.n_function = 1;
  message.function = &pointer;
  write_part(pprof, &message);
}

static void
write_comment(struct pprof *pprof, const char *text)
{
  Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
  int64_t comment = string_index(pprof, text);
  message.n_comment = 1;
  message.comment = &comment;
  write_part(pprof, &message);
}

/* Says that the calls of the function NAME are not counted. */
static void
write_unknown_calls(struct pprof *pprof, const char *name)
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  sink_format(&sink, "mprof.calls_unknown=%s", name);
  if (sink_flush(&sink))
    write_comment(pprof, text.text);
  else
    sink_fail(pprof->sink, ENOMEM);
  free(text.text);
}

/* The id of the function of ITEM, which is written when it is new. */
static uint32_t
function_id(struct pprof *pprof, uint32_t item)
{
  const struct profile *profile = &pprof->reduction->profile;
  bool nameless = item >= profile->frame_count;
  size_t index = nameless
                     ? profile->function_count + item - profile->frame_count
                     : profile->frames[item].function;
  uint32_t *id = &pprof->functions[index];
  if (*id == 0) {
    *id = ++pprof->function_count;
    const char *name = chain_item_name(&pprof->tree, item);
    write_function(pprof, *id, name,
                   nameless ? 0 : profile->functions[index].file,
                   nameless ? 0 : profile->functions[index].start_line);
    if (!nameless && !profile_calls_known(profile, (uint32_t)index))
      write_unknown_calls(pprof, name);
  }
  return *id;
}

/* The id of the location of ITEM, which is written when it is new. */
static uint32_t
location_id(struct pprof *pprof, uint32_t item)
{
  const struct profile *profile = &pprof->reduction->profile;
  uint32_t *id = &pprof->locations[item];
  if (*id != 0)
    return *id;
  Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
  Mprof__Pprof__Location location = MPROF__PPROF__LOCATION__INIT;
  Mprof__Pprof__Line line = MPROF__PPROF__LINE__INIT;
  Mprof__Pprof__Location *location_pointer = &location;
  Mprof__Pprof__Line *line_pointer = &line;
  line.function_id = function_id(pprof, item);
  *id = ++pprof->location_count;
  location.id = *id;
  location.n_line = 1;
  location.line = &line_pointer;
  if (item < profile->frame_count) {
    line.line = profile->frames[item].line;
    location.address = profile->frames[item].address;
  }
  message.n_location = 1;
  message.location = &location_pointer;
  write_part(pprof, &message);
  return *id;
}

/* Fills SAMPLE's frames, leaf first, with the chain of NODE. */
static void
set_chain(struct pprof *pprof, uint32_t node, Mprof__Pprof__Sample *sample)
{
  for (; node != INDEX_NONE; node = pprof->tree.nodes[node].parent) {
    uint64_t *path = array_reserve(pprof->path, &pprof->path_capacity,
                                   sample->n_location_id + 1, sizeof *path);
    if (path == NULL) {
      sink_fail(pprof->sink, ENOMEM);
      break;
    }
    pprof->path = path;
    path[sample->n_location_id++] =
        location_id(pprof, pprof->tree.nodes[node].item);
  }
  sample->location_id = pprof->path;
}

/* Adds the label KEY to SAMPLE: TEXT, or the NUMBER of bytes when that is
 * NULL. */
static void
add_label(struct pprof *pprof, Mprof__Pprof__Sample *sample, const char *key,
          const char *text, uint64_t number)
{
  Mprof__Pprof__Label *label = sample->label[sample->n_label++];
  mprof__pprof__label__init(label);
  label->key = string_index(pprof, key);
  if (text != NULL) {
    label->str = string_index(pprof, text);
  } else {
    label->num = (int64_t)number;
    label->num_unit = string_index(pprof, "bytes");
  }
}

static void
add_labels(struct pprof *pprof, const struct pprof_row *row,
           Mprof__Pprof__Sample *sample)
{
  const struct profile *profile = &pprof->reduction->profile;
  const struct profile_type *type = &profile->types[row->type];
  bool lisp = profile->language == LANGUAGE_LISP;
  if (lisp && !row->is_calls)
    add_label(pprof, sample, "category",
              category_name(profile->language, type->category), 0);
  if (!row->is_calls && type->type != 0)
    add_label(pprof, sample, "type", names_text(&profile->names, type->type),
              0);
  if (!row->is_calls && type->class_name != 0)
    add_label(pprof, sample, "class",
              names_text(&profile->names, type->class_name), 0);
  if (profile->threads[row->thread] != 0)
    add_label(pprof, sample, "thread",
              names_text(&profile->names, profile->threads[row->thread]), 0);
  if (profile->regions[row->region] != 0)
    add_label(pprof, sample, "region",
              names_text(&profile->names, profile->regions[row->region]), 0);
  if (lisp)
    add_label(pprof, sample, "phase", phase_word((enum phase)row->phase), 0);
  if (!row->is_calls &&
      (row->size_kind == SIZE_EXACT ||
       (row->size_kind == SIZE_GROWTH && row->object_bytes != 0)))
    add_label(pprof, sample, "bytes", NULL, row->object_bytes);
}

static void
write_sample(struct pprof *pprof, const struct pprof_row *row)
{
  Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
  Mprof__Pprof__Sample sample = MPROF__PPROF__SAMPLE__INIT;
  Mprof__Pprof__Sample *pointer = &sample;
  Mprof__Pprof__Label labels[MOST_LABELS];
  Mprof__Pprof__Label *label_pointers[MOST_LABELS];
  int64_t values[COLUMN_COUNT];
  for (size_t i = 0; i < MOST_LABELS; i++)
    label_pointers[i] = &labels[i];
  sample.value = values;
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    if (pprof->has_column[i])
      values[sample.n_value++] = (int64_t)row->values[i];
  sample.label = label_pointers;
  set_chain(pprof, row->chain, &sample);
  add_labels(pprof, row, &sample);
  message.n_sample = 1;
  message.sample = &pointer;
  write_part(pprof, &message);
}

/* By chain, allocations first, then by type, size, thread, region and phase:
 * what compares equal is one sample. */
static int
compare_rows(const void *left, const void *right)
{
  const struct pprof_row *a = left;
  const struct pprof_row *b = right;
  if (a->chain != b->chain)
    return a->chain < b->chain ? -1 : 1;
  if (a->is_calls != b->is_calls)
    return a->is_calls ? 1 : -1;
  if (a->type != b->type)
    return a->type < b->type ? -1 : 1;
  if (a->size_kind != b->size_kind)
    return a->size_kind < b->size_kind ? -1 : 1;
  if (a->object_bytes != b->object_bytes)
    return a->object_bytes < b->object_bytes ? -1 : 1;
  if (a->thread != b->thread)
    return a->thread < b->thread ? -1 : 1;
  if (a->region != b->region)
    return a->region < b->region ? -1 : 1;
  return a->phase < b->phase ? -1 : a->phase > b->phase;
}

/* Fills ROWS, which has room for all samples; gives back how many. */
static size_t
collect_rows(const struct pprof *pprof, struct pprof_row *rows)
{
  const struct reduction *reduction = pprof->reduction;
  const struct profile *profile = &reduction->profile;
  size_t count = 0;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    uint32_t chain = pprof->tree.of_sample[i];
    uint32_t calls_chain = pprof->tree.of_calls[i];
    bool is_calls = chain == INDEX_NONE;
    if (is_calls && calls_chain == INDEX_NONE)
      continue;
    rows[count++] = (struct pprof_row){
        .chain = is_calls ? calls_chain : chain,
        .type = is_calls ? 0 : sample->type,
        .thread = sample->thread,
        .region = sample->region,
        .phase = reduction->selection.phases[i],
        .is_calls = is_calls,
        .size_kind = is_calls ? SIZE_EXACT : sample->size_kind,
        .object_bytes = is_calls || sample->size_kind == SIZE_LARGE
                            ? 0
                            : sample->object_bytes,
        .values = {[COLUMN_ALLOCS] = is_calls ? 0 : sample->allocs,
                   [COLUMN_BYTES] = is_calls ? 0 : sample->bytes,
                   [COLUMN_KEPT_ALLOCS] = is_calls ? 0 : sample->kept_allocs,
                   [COLUMN_KEPT_BYTES] = is_calls ? 0 : sample->kept_bytes,
                   [COLUMN_ACTIVATIONS] =
                       calls_chain == INDEX_NONE ? 0 : sample->activations,
                   [COLUMN_PEAK_ALLOCS] = is_calls ? 0 : sample->peak_allocs,
                   [COLUMN_PEAK_BYTES] = is_calls ? 0 : sample->peak_bytes,
                   [COLUMN_TEMPORARY] =
                       is_calls ? 0 : sample->temporary_allocs},
    };
  }
  array_sort(rows, count, sizeof *rows, compare_rows);
  return count;
}

static void
write_samples(struct pprof *pprof)
{
  struct pprof_row *rows =
      array_zeroed(pprof->reduction->profile.sample_count, sizeof *rows);
  if (rows == NULL) {
    sink_fail(pprof->sink, ENOMEM);
    return;
  }
  size_t count = collect_rows(pprof, rows);
  for (size_t i = 0; i < count; i++) {
    struct pprof_row row = rows[i];
    for (; i + 1 < count && compare_rows(&row, &rows[i + 1]) == 0; i++)
      for (size_t c = 0; c < COLUMN_COUNT; c++)
        row.values[c] += rows[i + 1].values[c];
    write_sample(pprof, &row);
  }
  free(rows);
}

/* Writes FACT with its sum over the files, if each of them has it. */
static void
write_fact(struct pprof *pprof, enum profile_fact fact)
{
  const struct reduction *reduction = pprof->reduction;
  const struct profile *profile = &reduction->profile;
  int64_t value = profile->facts[fact];
  char text[96];
  if (!profile_knows(profile, fact) ||
      (reduction->selection.narrowed && fact >= FACT_ROUNDED_BYTES &&
       fact <= FACT_RESIDUAL_BYTES))
    return;
  if (fact == FACT_ALLOCATIONS)
    value = (int64_t)reduction->selection.total.allocs;
  else if (fact == FACT_BYTES)
    value = (int64_t)reduction->selection.total.bytes;
  snprintf(text, sizeof text, "%s=%" PRId64, profile_fact_key(fact), value);
  write_comment(pprof, text);
}

/* Whether the comment TEXT has KEY. */
static bool
has_key(const char *text, const char *key)
{
  size_t length = strlen(key);
  return strncmp(text, key, length) == 0 && text[length] == '=';
}

/* Whether the comment TEXT is a fact, or speaks of what is not written. */
static bool
is_left_out(const struct reduction *reduction, const char *text)
{
  const struct options *options = reduction->options;
  for (int fact = 0; fact < FACT_COUNT; fact++)
    if (has_key(text, profile_fact_key((enum profile_fact)fact)))
      return true;
  if (has_key(text, "mprof.calls_unknown"))
    return true; /* written with the functions */
  if (has_key(text, "mprof.root"))
    return !options->show_root && !options->show_runtime;
  return has_key(text, "mprof.residual_note") &&
         reduction->selection.narrowed;
}

/* Writes each comment once, then the facts. */
static void
write_comments(struct pprof *pprof)
{
  const struct profile *profile = &pprof->reduction->profile;
  bool *seen = array_zeroed(profile->names.count, sizeof *seen);
  if (seen == NULL) {
    sink_fail(pprof->sink, ENOMEM);
    return;
  }
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = names_text(&profile->names, profile->comments[i]);
    if (!seen[profile->comments[i]] && !is_left_out(pprof->reduction, text))
      write_comment(pprof, text);
    seen[profile->comments[i]] = true;
  }
  free(seen);
  for (int fact = 0; fact < FACT_COUNT; fact++)
    write_fact(pprof, (enum profile_fact)fact);
}

static void
write_strings(struct pprof *pprof)
{
  for (uint32_t i = 0; i < pprof->strings.count; i++) {
    Mprof__Pprof__Profile message = MPROF__PPROF__PROFILE__INIT;
    message.n_string_table = 1;
    message.string_table = &pprof->strings.texts[i];
    write_part(pprof, &message);
  }
}

void
export_pprof(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = &reduction->profile;
  struct gzip_sink gzip;
  gzip_sink_open(&gzip, sink);
  struct pprof pprof = {
      .reduction = reduction,
      .sink = &gzip.sink,
      .locations = array_zeroed(profile->frame_count + NAMELESS_COUNT,
                                sizeof(uint32_t)),
      .functions = array_zeroed(profile->function_count + NAMELESS_COUNT,
                                sizeof(uint32_t)),
  };
  bool good = chain_tree_init(&pprof.tree, reduction, CHAIN_OF_FRAMES);
  good = names_init(&pprof.strings) && good;
  if (good && pprof.locations != NULL && pprof.functions != NULL) {
    choose_columns(&pprof);
    write_sample_types(&pprof);
    write_comments(&pprof);
    write_samples(&pprof);
    write_strings(&pprof);
  } else {
    sink_fail(&gzip.sink, ENOMEM);
  }
  gzip_sink_close(&gzip);
  chain_tree_release(&pprof.tree);
  names_release(&pprof.strings);
  free(pprof.locations);
  free(pprof.functions);
  free(pprof.packed);
  free(pprof.path);
}
