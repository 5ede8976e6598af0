/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The view as a profile file again: what was selected, without what is
 * hidden, several files as one.  mprof-formats(5) describes it; the tables
 * of the file are those that the same options print for the original.
 *
 * A new profile is made, and written as any other.  Chains are those that
 * show, with lines and addresses of their frames; samples are those of
 * sample_rows.h.  A phase follows from functions that may be hidden, so each
 * sample states its own.
 */

#include "common/pprof_format.h"
#include "export/export.h"
#include "export/time_slices.h"
#include "profile/writer.h"
#include "tables/sample_rows.h"

#include <inttypes.h>
#include <string.h>

struct making {
  const struct view *view;
  struct call_tree tree; /* by frames */
  struct chains chains;
  struct profile *made;
  struct time_slices slices; /* of time */
  uint32_t *nodes;           /* by node of the tree: the one of the profile */
  struct index_map texts;    /* their addresses -> names of the profile */
  bool heap;                 /* a heap profile: see export_heap */
};

/* Interns a text that stays where it is, so that it is looked at once. */
static uint32_t
intern(struct making *making, const char *text)
{
  uint32_t name = index_map_find(&making->texts, (uintptr_t)text);
  if (name != INDEX_NONE)
    return name;
  name = names_intern(&making->made->names, text);
  index_map_add(&making->texts, (uintptr_t)text, name);
  return name;
}

/* Returns whether the profile has a column for USE: what other programs left
 * out is not made up. */
static bool
has_column(const struct making *making, int use)
{
  const struct view *view = making->view;
  const struct profile_gaps *gaps = &view->profile->gaps;
  size_t files = view->profile->file_count;
  if (making->heap)
    return use == MEASURE_ALLOCS || use == MEASURE_BYTES ||
           use == MEASURE_KEPT_ALLOCS || use == MEASURE_KEPT_BYTES;
  if (use == COLUMN_OF_CALLS)
    return view->selection.counts_calls;
  if (use == COLUMN_OF_FREED_ALLOCS || use == COLUMN_OF_FREED_BYTES)
    return profile_has(view->profile, use);
  if (use > COLUMN_OF_CALLS || use == MEASURE_LOST_BYTES ||
      use == MEASURE_LOST_ALLOCS)
    return false; /* what was lost with it would seem to be reachable */
  const struct measure_row *row = &measure_rows[use];
  if (files > 0 && !row->bytes && gaps->countless == files)
    return false;
  if (row->what == NULL)
    return files == 0 || gaps->live != files;
  return view_knows(view, row->as_bytes == MEASURE_COUNT ? (enum measure)use
                                                         : row->as_bytes);
}

static void
make_heading(struct making *making)
{
  const struct view *view = making->view;
  const struct profile *from = view->profile;
  struct profile *made = making->made;
  enum measure shown = view->options->value;
  made->columns = pool_zeroed(PPROF_COLUMNS, sizeof *made->columns);
  for (int i = 0; i < PPROF_COLUMNS; i++) {
    int use = 0;
    while (profile_file_column(use) != i)
      use++;
    if (!has_column(making, use))
      continue;
    made->column_of[use].index = (int)made->column_count;
    made->columns[made->column_count++] =
        (struct profile_value_type){intern(making, pprof_columns[i].type),
                                    intern(making, pprof_columns[i].unit)};
  }
  if (!profile_has(made, (int)shown))
    shown =
        profile_has(made, MEASURE_BYTES) ? MEASURE_BYTES : MEASURE_KEPT_BYTES;
  made->default_type =
      intern(making, pprof_columns[measure_rows[shown].column].type);
  made->period_type.type = intern(making, "space");
  made->period_type.unit = intern(making, "bytes");
  made->period = from->gaps.sampled != 0 ? from->gaps.period : 1;
  made->language = from->language;
  made->by_mprof = from->by_mprof;
}

/* ---- comments ---- */

/* Adds the comment "KEY=VALUE" to MADE, a profile that is exported. */
static void
add_comment(struct profile *made, const char *key, const char *value)
{
  profile_add_comment(
      made, names_intern(&made->names, pool_format("%s=%s", key, value)));
}

/* Returns whether the export states FACT: one that all files have and that
 * holds for what is exported; and always its calls, where they are counted.
 */
static bool
is_stated(const struct view *view, enum profile_fact fact)
{
  const struct selection *selection = &view->selection;
  const struct profile *profile = view->profile;
  if (fact == FACT_CALLS)
    return selection->counts_calls && profile->language != LANGUAGE_C &&
           view->options->by == BY_FUNCTION;
  return profile_knows(profile, fact) &&
         !(selection->narrowed && fact >= FACT_ROUNDED_BYTES &&
           fact <= FACT_RESIDUAL_BYTES);
}

/* Returns whether the comment N is a fact, or speaks of what is not exported.
 */
static bool
is_left_out(const struct view *view, size_t n)
{
  const struct profile *profile = view->profile;
  const struct selection *selection = &view->selection;
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

/* Adds to MADE each comment of VIEW's profile once, then the facts, with
 * allocations, bytes and calls of the selection. */
static void
add_comments(const struct view *view, struct profile *made)
{
  const struct profile *profile = view->profile;
  for (size_t i = 0; i < profile->comment_count; i++)
    if (!is_left_out(view, i))
      profile_add_comment_once(
          made, names_intern(&made->names, names_text(&profile->names,
                                                      profile->comments[i])));
  int64_t facts[FACT_COUNT];
  memcpy(facts, profile->facts, sizeof facts);
  facts[FACT_ALLOCATIONS] = (int64_t)view->selection.total.allocs;
  facts[FACT_BYTES] = (int64_t)view->selection.total.bytes;
  facts[FACT_CALLS] = (int64_t)view->selection.calls;
  for (int fact = 0; fact < FACT_COUNT; fact++)
    if (is_stated(view, (enum profile_fact)fact))
      add_comment(made, profile_fact_keys[fact],
                  pool_format("%" PRId64, facts[fact]));
}

/* ---- where ---- */

/* Finds the chains by frames.  Fails SINK, and returns false, if they do not
 * fit in a file. */
static bool
find_chains(struct making *making, struct sink *sink)
{
  call_tree_by_frames(&making->tree, &making->view->tree, true);
  chains_init(&making->chains, &making->tree, true);
  return chains_fit(&making->chains, false, sink);
}

/* Returns the function of ITEM, adds it if it is new.  The system name stays
 * empty: pprof takes a name that is the same as it for one of C++, and takes
 * out what it thinks are parameters. */
static uint32_t
make_function(struct making *making, const struct call_item *item)
{
  const struct frame_table *frames = &making->view->frames;
  struct profile_function function = {.name = intern(making, item->name)};
  size_t before = making->made->function_count;
  bool calls_known = true;
  if (item->function != INDEX_NONE) {
    const struct function *shown = &frames->functions[item->function];
    const bool elsewhere = call_item_is_elsewhere(frames, item);
    function.file =
        intern(making, names_text(&frames->names,
                                  elsewhere ? item->file : shown->file));
    function.start_line = elsewhere ? 0 : shown->start_line;
    calls_known = shown->calls_known;
  }
  uint32_t index = profile_add_function(making->made, function);
  if (!calls_known && !making->heap && making->made->function_count > before)
    add_comment(making->made, PPROF_COMMENT_CALLS_UNKNOWN, item->name);
  return index;
}

static void
make_nodes(struct making *making)
{
  const struct call_tree *tree = &making->tree;
  const uint32_t *walk = making->chains.walk;
  uint32_t *known = pool_zeroed(tree->item_count, sizeof *known);
  making->nodes = pool_zeroed(tree->tree.count, sizeof *making->nodes);
  for (size_t i = 1; i < making->chains.count; i++) {
    const struct tree_node *node = &tree->tree.nodes[walk[i]];
    uint32_t *location = &known[node->item]; /* 1 + its number */
    if (*location == 0) {
      const struct call_item *item = &tree->items[node->item];
      const struct profile_line line = {make_function(making, item),
                                        item->line, 0};
      *location = 1 + profile_add_location(
                          making->made,
                          (struct profile_location){
                              .address = making->heap ? 0 : item->address,
                              .mapping = making->heap ? 0 : INDEX_NONE},
                          &line, 1);
    }
    making->nodes[walk[i]] = tree_child(
        &making->made->tree, making->nodes[node->parent], *location - 1);
  }
}

/* ---- what ---- */

/* Returns the set of labels of ROW. */
static uint32_t
make_labels(struct making *making, const struct sample_row *row)
{
  const struct profile *profile = making->view->profile;
  const struct names *names = &profile->names;
  const struct profile_type *type = &profile->types[row->keys[ROW_TYPE]];
  const uint64_t *starts = making->slices.starts.items;
  const uint64_t kind = row->keys[ROW_SIZE_KIND];
  const uint64_t bytes = row->keys[ROW_OBJECT_BYTES];
  const uint64_t slice = row->keys[ROW_SLICE];
  const bool lisp = profile->language == LANGUAGE_LISP;
  const bool typed = row->counts[COLUMN_OF_CALLS] == 0;
  const struct {
    bool known;
    const char *key, *text; /* "": there is no label; NULL: it is a number */
    uint64_t number;
    const char *unit;
  } labels[] = {
      {typed && lisp, PPROF_LABEL_CATEGORY,
       category_rows[profile->language][type->category].name},
      {typed, PPROF_LABEL_TYPE, names_text(names, type->type)},
      {typed, PPROF_LABEL_CLASS, names_text(names, type->class_name)},
      {true, PPROF_LABEL_THREAD,
       names_text(names, profile->threads[row->keys[ROW_THREAD]])},
      {true, PPROF_LABEL_REGION,
       names_text(names, profile->regions[row->keys[ROW_REGION]])},
      {lisp, PPROF_LABEL_PHASE, phase_texts[row->keys[ROW_PHASE]].word},
      {typed && (kind == SIZE_EXACT || (kind == SIZE_GROWTH && bytes != 0)),
       PPROF_LABEL_BYTES, NULL, bytes, "bytes"},
      {slice != 0, PPROF_LABEL_TIME, NULL, slice == 0 ? 0 : starts[slice - 1],
       "nanoseconds"},
  };
  enum { MOST_LABELS = sizeof labels / sizeof labels[0] };
  uint64_t words[1 + MOST_LABELS * LABEL_WORDS] = {0};
  size_t count = 1;
  for (size_t i = 0; i < MOST_LABELS; i++) {
    const char *text = labels[i].text;
    if (!labels[i].known || (text != NULL && *text == '\0'))
      continue;
    words[count] = intern(making, labels[i].key);
    words[count + 1] = text == NULL ? 0 : intern(making, text);
    words[count + 2] = labels[i].number;
    words[count + 3] = text != NULL ? 0 : intern(making, labels[i].unit);
    count += LABEL_WORDS;
  }
  return profile_labels(making->made, words, count);
}

static void
add_row(struct making *making, const struct sample_row *row)
{
  struct profile *made = making->made;
  uint64_t *values = profile_add_sample(
      made, (struct profile_sample){making->nodes[row->node],
                                    make_labels(making, row)});
  for (int use = 0; use <= COLUMN_OF_FREED_BYTES; use++)
    if (profile_has(made, use))
      values[made->column_of[use].index] = row->counts[use];
}

static void
make_samples(struct making *making)
{
  struct sample_rows of[2];
  sample_rows_init(&of[0], &making->tree, ROWS_OF_SIZES);
  sample_rows_init(&of[1], &making->tree, ROWS_OF_CALLS);
  time_slices_find(&making->slices, making->view->profile);
  of[0].slices = making->slices.of_labels;
  for (size_t i = 1; i < making->chains.count; i++)
    for (int k = 0; k < 2; k++) {
      of[k].count = 0;
      sample_rows_add(&of[k], making->chains.walk[i]);
      for (size_t r = 0; r < of[k].count; r++)
        add_row(making, &of[k].rows[r]);
    }
}

void
export_pprof(const struct view *view, struct sink *sink)
{
  struct profile made;
  struct making making = {.view = view, .made = &made};
  profile_init(&made);
  if (!find_chains(&making, sink))
    return;
  make_heading(&making);
  add_comments(view, &made);
  make_nodes(&making);
  make_samples(&making);
  profile_write(&made, true, sink);
}

/* ---- heap profiles ---- */

/* Adds what VIEW has allocated to MAKING, or with SIGN -1 takes it away; ROWS
 * are the numbers of samples, by node. */
static bool
add_to_heap(struct making *making, const struct view *view, int sign,
            struct index_map *rows, struct sink *sink)
{
  static const uint64_t no_labels[1];
  struct profile *made = making->made;
  making->view = view;
  if (!find_chains(making, sink))
    return false;
  make_nodes(making);
  for (size_t i = 1; i < making->chains.count; i++) {
    const uint32_t node = making->chains.walk[i];
    const uint64_t *counts = making->chains.counts[node].counts;
    const struct profile_sample sample = {making->nodes[node],
                                          profile_labels(made, no_labels, 1)};
    if ((counts[MEASURE_BYTES] | counts[MEASURE_ALLOCS] |
         counts[MEASURE_KEPT_BYTES] | counts[MEASURE_KEPT_ALLOCS]) == 0)
      continue;
    const uint32_t number = index_map_number(rows, sample.node);
    if (number == made->sample_count)
      profile_add_sample(made, sample);
    uint64_t *values = made->values + number * made->column_count;
    for (int use = 0; use < MEASURE_COUNT; use++)
      if (profile_has(made, use))
        values[made->column_of[use].index] += (uint64_t)sign * counts[use];
  }
  return true;
}

/* Removes the samples of which nothing is left. */
static void
drop_empty_samples(struct profile *made)
{
  static const uint64_t nothing[COLUMN_USES];
  const size_t bytes = made->column_count * sizeof *made->values;
  size_t count = 0;
  for (size_t i = 0; i < made->sample_count; i++) {
    const uint64_t *values = made->values + i * made->column_count;
    if (memcmp(values, nothing, bytes) == 0)
      continue;
    made->samples[count] = made->samples[i];
    memmove(made->values + count * made->column_count, values, bytes);
    count++;
  }
  made->sample_count = count;
}

void
export_heap(const struct view *view, struct sink *sink)
{
  const struct view *base = view->options->base;
  struct profile made;
  struct index_map rows = {0};
  struct making making = {.view = view, .made = &made, .heap = true};
  profile_init(&made);
  make_heading(&making);
  made.time_nanos = view->profile->time_nanos;
  made.duration_nanos =
      base == NULL ? 0 : made.time_nanos - base->profile->time_nanos;
  /* a mapping that has symbols, or pprof would look for them */
  profile_add_mapping(&made, (struct profile_mapping){.flags = 7});
  if (!add_to_heap(&making, view, 1, &rows, sink) ||
      (base != NULL && !add_to_heap(&making, base, -1, &rows, sink)))
    return;
  drop_empty_samples(&made);
  profile_write(&made, true, sink);
}
