/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reduction as a profile file again: what was selected, without what is
 * hidden, several files as one.  mprof-formats(5) says what is in it; the
 * tables of the file are the tables that the same options print of the
 * original.
 *
 * A new profile is made, and written as any other.  Chains are those that
 * show, with lines and addresses of their frames; samples are those of
 * sample_rows.h.  A phase follows from functions that may be hidden, so each
 * sample states its own.  Comments that speak of more than what is written
 * are left out: the collector's figures when samples are left out, the root
 * of profiled bodies when what it cuts off is gone.
 */

#include "base/array.h"
#include "export/export.h"
#include "export/sample_rows.h"
#include "pprof/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { MOST_LABELS = 7 };

struct making {
  const struct reduction *reduction;
  struct chain_tree tree;
  bool has_column[PPROF_COLUMNS];
  struct profile made;
  uint32_t *nodes;     /* by node of the tree: the one of the profile */
  uint32_t *functions; /* by function of the frame table: likewise */
  bool failed;         /* no memory */
};

static uint32_t
intern(struct making *making, const char *text)
{
  uint32_t name = names_intern(&making->made.names, text);
  if (name == NAMES_NONE)
    making->failed = true;
  return name == NAMES_NONE ? 0 : name;
}

/* Which columns the profile has: what other programs left out is not made up.
 */
static void
choose_columns(struct making *making)
{
  const struct profile *profile = making->reduction->profile;
  const struct profile_gaps *gaps = &profile->gaps;
  size_t files = profile->file_count;
  bool live = files > 0 && gaps->live == files;
  bool counts = files == 0 || gaps->countless != files;
  bool kept = reduction_has(making->reduction, MEASURE_KEPT_BYTES);
  bool peak = reduction_has(making->reduction, MEASURE_PEAK_BYTES);
  bool *has = making->has_column;
  has[PPROF_COUNT] = !live && counts;
  has[PPROF_BYTES] = !live;
  has[PPROF_KEPT_COUNT] = kept && counts;
  has[PPROF_KEPT_BYTES] = kept;
  has[PPROF_CALLS] = making->reduction->selection.counts_calls;
  has[PPROF_PEAK_COUNT] = has[PPROF_PEAK_BYTES] = peak;
  has[PPROF_TEMPORARY] =
      reduction_has(making->reduction, MEASURE_TEMPORARY_ALLOCS);
}

static void
make_heading(struct making *making)
{
  const struct profile *from = making->reduction->profile;
  struct profile *made = &making->made;
  int shown = measure_rows[making->reduction->options->value].column;
  made->columns = array_zeroed(PPROF_COLUMNS, sizeof *made->columns);
  if (made->columns == NULL) {
    making->failed = true;
    return;
  }
  for (int i = 0; i < PPROF_COLUMNS; i++) {
    if (!making->has_column[i])
      continue;
    if (i == PPROF_CALLS)
      made->column_of[COLUMN_OF_CALLS].index = (int)made->column_count;
    for (int m = 0; m < MEASURE_COUNT; m++)
      if (measure_rows[m].column == i)
        made->column_of[m].index = (int)made->column_count;
    made->columns[made->column_count++] = (struct profile_value_type){
        intern(making, pprof_columns[i].type),
        intern(making, pprof_columns[i].unit)};
  }
  if (!making->has_column[shown])
    shown =
        making->has_column[PPROF_BYTES] ? PPROF_BYTES : PPROF_KEPT_BYTES;
  made->default_type = intern(making, pprof_columns[shown].type);
  made->period_type.type = intern(making, "space");
  made->period_type.unit = intern(making, "bytes");
  made->period = from->gaps.sampled != 0 ? from->gaps.period : 1;
  made->language = from->language;
  made->by_mprof = from->by_mprof;
}

static void
add_comment(struct making *making, const char *text)
{
  if (!profile_add_comment(&making->made, intern(making, text)))
    making->failed = true;
}

/* Says that the calls of the function NAME are not counted. */
static void
note_unknown_calls(struct making *making, const char *name)
{
  struct string_sink comment;
  string_sink_init(&comment);
  sink_format(&comment.sink, PPROF_COMMENT_CALLS_UNKNOWN "=%s", name);
  const char *text = string_sink_text(&comment);
  if (text != NULL)
    add_comment(making, text);
  else
    making->failed = true;
  string_sink_release(&comment);
}

/* ---- where ---- */

/* The function of ITEM, made when it is the first.  The system name stays
 * empty: pprof takes a name that is the same as it for one of C++, and takes
 * out what it thinks are parameters. */
static uint32_t
make_function(struct making *making, const struct call_item *item)
{
  const struct frame_table *frames = &making->reduction->frames;
  bool nameless = item->function == INDEX_NONE;
  uint32_t none = INDEX_NONE;
  uint32_t *known = nameless ? &none : &making->functions[item->function];
  if (*known != INDEX_NONE)
    return *known;
  *known = profile_add_function(
      &making->made,
      (struct profile_function){
          .name = intern(making, item->name),
          .file = intern(making, nameless
                                     ? ""
                                     : function_file(frames, item->function)),
          .start_line =
              nameless ? 0 : frames->functions[item->function].start_line});
  if (!nameless && !frames->functions[item->function].calls_known)
    note_unknown_calls(making, item->name);
  return *known;
}

/* The location of ITEM, which is new. */
static uint32_t
make_location(struct making *making, const struct call_item *item)
{
  uint32_t function = make_function(making, item);
  uint32_t location = profile_add_location(
      &making->made,
      (struct profile_location){.address = item->address,
                                .mapping = INDEX_NONE},
      &(struct profile_line){function, item->line, 0}, 1);
  if (function == INDEX_NONE || location == INDEX_NONE)
    making->failed = true;
  return location;
}

static void
make_nodes(struct making *making)
{
  const struct chain_tree *tree = &making->tree;
  size_t items = tree->calls.item_count;
  uint32_t *locations = array_zeroed(items, sizeof *locations);
  making->nodes = array_zeroed(tree->count, sizeof *making->nodes);
  if (locations == NULL || making->nodes == NULL)
    making->failed = true;
  for (size_t i = 0; !making->failed && i < items; i++)
    locations[i] = INDEX_NONE;
  for (size_t i = 0; !making->failed && i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    uint32_t *location = &locations[node->item];
    if (*location == INDEX_NONE)
      *location = make_location(making, &tree->calls.items[node->item]);
    making->nodes[i] = tree_child(
        &making->made.tree,
        node->parent == INDEX_NONE ? TREE_ROOT : making->nodes[node->parent],
        *location);
    if (making->nodes[i] == INDEX_NONE)
      making->failed = true;
  }
  free(locations);
}

/* ---- what ---- */

/* Appends a label of TEXT, or a number of bytes when that is NULL, to the row
 * of *COUNT WORDS. */
static void
add_label(struct making *making, uint64_t *words, size_t *count,
          const char *key, const char *text, uint64_t number)
{
  words[(*count)++] = intern(making, key);
  words[(*count)++] = text == NULL ? 0 : intern(making, text);
  words[(*count)++] = text == NULL ? number : 0;
  words[(*count)++] = text == NULL ? intern(making, "bytes") : 0;
}

/* The set of labels of ROW. */
static uint32_t
make_labels(struct making *making, const struct sample_row *row)
{
  const struct profile *profile = making->reduction->profile;
  const struct names *names = &profile->names;
  const struct profile_type *type = &profile->types[row->type];
  bool lisp = profile->language == LANGUAGE_LISP;
  bool objects = !row->is_calls;
  uint64_t words[1 + MOST_LABELS * LABEL_WORDS] = {0};
  size_t count = 1;
  if (lisp && objects)
    add_label(making, words, &count, PPROF_LABEL_CATEGORY,
              category_name(profile->language, type->category), 0);
  if (objects && type->type != 0)
    add_label(making, words, &count, PPROF_LABEL_TYPE,
              names_text(names, type->type), 0);
  if (objects && type->class_name != 0)
    add_label(making, words, &count, PPROF_LABEL_CLASS,
              names_text(names, type->class_name), 0);
  if (profile->threads[row->thread] != 0)
    add_label(making, words, &count, PPROF_LABEL_THREAD,
              names_text(names, profile->threads[row->thread]), 0);
  if (profile->regions[row->region] != 0)
    add_label(making, words, &count, PPROF_LABEL_REGION,
              names_text(names, profile->regions[row->region]), 0);
  if (lisp)
    add_label(making, words, &count, PPROF_LABEL_PHASE,
              phase_word(row->phase), 0);
  if (objects && (row->size_kind == SIZE_EXACT ||
                  (row->size_kind == SIZE_GROWTH && row->object_bytes != 0)))
    add_label(making, words, &count, PPROF_LABEL_BYTES, NULL,
              row->object_bytes);
  return profile_labels(&making->made, words, count);
}

static void
add_row(struct making *making, const struct sample_row *row)
{
  uint64_t values[PPROF_COLUMNS];
  size_t count = 0;
  for (int i = 0; i < PPROF_COLUMNS; i++)
    if (making->has_column[i])
      values[count++] = row->values[i];
  uint32_t labels = make_labels(making, row);
  if (labels == INDEX_NONE ||
      !profile_add_sample(
          &making->made,
          (struct profile_sample){making->nodes[row->node], labels}, values))
    making->failed = true;
}

static void
make_samples(struct making *making)
{
  struct sample_rows rows;
  if (!sample_rows_init(&rows, &making->tree))
    making->failed = true;
  for (size_t i = 0; !making->failed && i < rows.count; i++)
    add_row(making, &rows.rows[i]);
  sample_rows_release(&rows);
}

/* ---- comments ---- */

/* Adds FACT with its sum over the files, if each of them has it. */
static void
add_fact(struct making *making, enum profile_fact fact)
{
  const struct selection *selection = &making->reduction->selection;
  const struct profile *profile = making->reduction->profile;
  int64_t value = profile->facts[fact];
  char text[96];
  if (!profile_knows(profile, fact) ||
      (selection->narrowed && fact >= FACT_ROUNDED_BYTES &&
       fact <= FACT_RESIDUAL_BYTES))
    return;
  if (fact == FACT_ALLOCATIONS)
    value = (int64_t)selection->total.allocs;
  else if (fact == FACT_BYTES)
    value = (int64_t)selection->total.bytes;
  snprintf(text, sizeof text, "%s=%" PRId64, profile_fact_keys[fact], value);
  add_comment(making, text);
}

/* Whether the comment N is a fact, or speaks of what is not written. */
static bool
is_left_out(const struct making *making, size_t n)
{
  const struct profile *profile = making->reduction->profile;
  const struct selection *selection = &making->reduction->selection;
  for (int fact = 0; fact < FACT_COUNT; fact++)
    if (profile_comment_value(profile, n, profile_fact_keys[fact]))
      return true;
  if (profile_comment_value(profile, n, PPROF_COMMENT_CALLS_UNKNOWN))
    return true; /* written with the functions */
  if (profile_comment_value(profile, n, PPROF_COMMENT_ROOT))
    return selection->cuts;
  return profile_comment_value(profile, n, PPROF_COMMENT_RESIDUAL_NOTE) &&
         selection->narrowed;
}

/* Adds each comment once, then the facts. */
static void
make_comments(struct making *making)
{
  const struct profile *profile = making->reduction->profile;
  bool *seen = array_zeroed(profile->names.count, sizeof *seen);
  if (seen == NULL) {
    making->failed = true;
    return;
  }
  for (size_t i = 0; i < profile->comment_count; i++) {
    uint32_t comment = profile->comments[i];
    if (!seen[comment] && !is_left_out(making, i))
      add_comment(making, names_text(&profile->names, comment));
    seen[comment] = true;
  }
  free(seen);
  for (int fact = 0; fact < FACT_COUNT; fact++)
    add_fact(making, (enum profile_fact)fact);
}

void
export_pprof(const struct reduction *reduction, struct sink *sink)
{
  struct making making = {.reduction = reduction};
  size_t functions = reduction->frames.function_count;
  making.functions = array_zeroed(functions, sizeof *making.functions);
  making.failed =
      making.functions == NULL || !profile_init(&making.made) ||
      !chain_tree_init(&making.tree, reduction, CHAIN_OF_FRAMES);
  for (size_t i = 0; !making.failed && i < functions; i++)
    making.functions[i] = INDEX_NONE;
  if (!making.failed) {
    choose_columns(&making);
    make_heading(&making);
    make_comments(&making);
    make_nodes(&making);
  }
  if (!making.failed)
    make_samples(&making);
  if (making.failed)
    sink_fail(sink, ENOMEM);
  else
    profile_write(&making.made, true, sink);
  chain_tree_release(&making.tree);
  profile_release(&making.made);
  free(making.nodes);
  free(making.functions);
}
