/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Building a comparison: each side adds its figures to entries that are
 * found by name; and what stands around its tables, as text.  Linear in the
 * functions, types and frames of both.
 */

#include "diff/diff.h"

#include "analysis/frames.h"
#include "base/array.h"
#include "base/pool.h"
#include "base/quote.h"
#include "common/pprof_format.h"
#include "tables/report.h"

#include <inttypes.h>
#include <string.h>

const struct output diff_tables[] = {
    {"functions", "by what each function itself allocated"},
    {"inclusive", "by what each function and all below it allocated"},
    {"types", "by type"},
    {"contexts", "by context, the chain of functions that allocated"},
    {0},
};

/* One side being added. */
struct adding {
  struct diff *diff;
  enum diff_side side;
  const struct view *view; /* that side */
  uint32_t *names;         /* ids, by node of the graph */
};

bool
diff_knows(const struct diff *diff, unsigned measure)
{
  for (int i = 0; i < DIFF_SIDES; i++) {
    const struct view *side = diff->sides[i];
    if (measure == DIFF_CALLS       ? !side->selection.counts_calls
        : measure == MEASURE_ALLOCS ? side->profile->gaps.countless != 0
                                    : !view_knows(side, measure))
      return false;
  }
  return true;
}

/* Returns the node of the name ID below the node ABOVE in the table of KIND.
 */
static uint32_t
find_node(struct diff *diff, enum diff_kind kind, uint32_t above, uint32_t id)
{
  struct diff_table *table = &diff->tables[kind];
  const uint32_t node = tree_child(&table->tree, above, id);
  while (table->entry_count <= node) {
    const struct diff_entry new = {.name = names_text(&diff->names, id),
                                   .node = (uint32_t)table->entry_count};
    ARRAY_PUSH(table->entries, table->entry_count, table->capacity, new);
  }
  return node;
}

/* Adds COUNTS, and CALLS, to the entry of NODE. */
static void
add_counts(struct adding *adding, enum diff_kind kind, uint32_t node,
           const uint64_t *counts, uint64_t calls)
{
  struct diff_entry *entry = &adding->diff->tables[kind].entries[node];
  entry->present[adding->side] = true;
  uint64_t *sums = entry->sides[adding->side].counts;
  for (int i = 0; i < MEASURE_COUNT; i++)
    sums[i] += counts[i];
  sums[DIFF_CALLS] = calls_add(sums[DIFF_CALLS], calls);
}

/* Adds them to the entry called by the name ID. */
static void
add_named(struct adding *adding, enum diff_kind kind, uint32_t id,
          const uint64_t *counts, uint64_t calls)
{
  add_counts(adding, kind, find_node(adding->diff, kind, TREE_ROOT, id),
             counts, calls);
}

static void
add_functions(struct adding *adding)
{
  const struct call_graph *graph = &adding->view->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const uint32_t id = names_intern(&adding->diff->names, node->name);
    adding->names[i] = id;
    add_named(adding, DIFF_FUNCTIONS, id, node->self.counts, node->calls);
    add_named(adding, DIFF_INCLUSIVE, id, node->inclusive.counts,
              node->calls);
  }
}

static void
add_types(struct adding *adding)
{
  const struct profile *profile = adding->view->profile;
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct figures *figures = &adding->view->tally.types[i];
    const char *name = tally_type_name(profile, &profile->types[i]);
    if (!figures_any(figures))
      continue;
    add_named(adding, DIFF_TYPES,
              names_intern(&adding->diff->names,
                           *name == '\0' ? "[unknown type]" : name),
              figures->counts, 0);
  }
}

static void
add_contexts(struct adding *adding)
{
  const struct view *view = adding->view;
  const struct tree_node *nodes = view->tree.tree.nodes;
  uint32_t *at = pool_zeroed(view->tree.allocating, sizeof *at);
  for (size_t i = TREE_ROOT + 1; i < view->tree.allocating; i++)
    at[i] = find_node(adding->diff, DIFF_CONTEXTS, at[nodes[i].parent],
                      adding->names[nodes[i].item]);
  for (size_t i = 0; i < view->profile->sample_count; i++) {
    struct sample_count count;
    if (view->tree.of_sample[i] == INDEX_NONE)
      continue;
    selection_count(&view->selection, i, &count);
    add_counts(adding, DIFF_CONTEXTS, at[view->tree.of_sample[i]],
               count.counts, 0);
  }
  pool_free(at);
}

static void
add_total(struct adding *adding, const char *name, uint64_t figure)
{
  const uint64_t counts[MEASURE_COUNT] = {[MEASURE_BYTES] = figure};
  add_named(adding, DIFF_TOTALS, names_intern(&adding->diff->names, name),
            counts, 0);
}

/* Adds how many entries of KIND the side has. */
static void
add_number(struct adding *adding, enum diff_kind kind, const char *name)
{
  const struct diff_table *table = &adding->diff->tables[kind];
  uint64_t count = 0;
  for (size_t i = 0; i < table->entry_count; i++)
    count += table->entries[i].present[adding->side];
  add_total(adding, name, count);
}

static void
add_totals(struct adding *adding)
{
  /* what could not be attributed, when there is such a thing on either side
   */
  static const struct {
    enum profile_fact fact;
    const char *name;
  } rows[] = {
      {FACT_UNATTRIBUTED_ALLOCATIONS, "allocations without a caller"},
      {FACT_UNATTRIBUTED_BYTES, "bytes without a caller"},
      {FACT_CUT_ALLOCATIONS, "allocations whose chains were cut short"},
  };
  struct diff *diff = adding->diff;
  const struct profile *profile = diff->sides[DIFF_NEW]->profile;
  enum measure counted = view_counted(diff->sides[DIFF_NEW]);
  uint64_t *totals = diff->totals[adding->side].counts;
  for (unsigned i = 0; i < MEASURE_COUNT; i++) {
    totals[i] = adding->view->selection.total.counts[i];
    if (diff_knows(diff, i))
      add_total(adding,
                i <= MEASURE_ALLOCS
                    ? measure_noun(profile, counted, measure_rows[i].bytes)
                    : measure_row(profile, (enum measure)i)->noun,
                totals[i]);
  }
  add_number(adding, DIFF_FUNCTIONS,
             granularity_noun(diff->options->by, true));
  add_number(adding, DIFF_CONTEXTS, "contexts");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int64_t facts[] = {
        diff->sides[DIFF_OLD]->profile->facts[rows[i].fact],
        diff->sides[DIFF_NEW]->profile->facts[rows[i].fact]};
    if (facts[DIFF_OLD] != 0 || facts[DIFF_NEW] != 0)
      add_total(adding, rows[i].name, (uint64_t)facts[adding->side]);
  }
}

static void
add_side(struct diff *diff, enum diff_side side)
{
  const struct view *view = diff->sides[side];
  struct adding adding = {
      .diff = diff,
      .side = side,
      .view = view,
      .names = pool_zeroed(view->graph.node_count, sizeof(uint32_t))};
  add_functions(&adding);
  add_types(&adding);
  add_contexts(&adding);
  add_totals(&adding);
}

static int
compare_names(const void *left, const void *right, void *table)
{
  const struct diff_entry *entries = ((struct diff_table *)table)->entries;
  return strcmp(entries[*(const uint32_t *)left].name,
                entries[*(const uint32_t *)right].name);
}

/* Puts the entries of KIND, which are complete, in order. */
static void
sort_entries(struct diff *diff, enum diff_kind kind)
{
  struct diff_table *table = &diff->tables[kind];
  const uint32_t *walk = tree_walk(&table->tree, compare_names, table);
  struct diff_entry *sorted = pool_alloc(table->tree.count * sizeof *sorted);
  table->entry_count = 0;
  for (uint32_t i = TREE_ROOT + 1; i < table->tree.count; i++) {
    const uint32_t node = kind == DIFF_TOTALS ? i : walk[i];
    const struct diff_entry *entry = &table->entries[node];
    if (entry->present[DIFF_OLD] || entry->present[DIFF_NEW])
      sorted[table->entry_count++] = *entry;
  }
  pool_free(table->entries);
  table->entries = sorted;
}

/* Adds the calls of all functions whose calls both sides know. */
static void
total_calls(struct diff *diff)
{
  const struct diff_table *table = &diff->tables[DIFF_FUNCTIONS];
  for (size_t i = 0; i < table->entry_count; i++) {
    uint64_t old = table->entries[i].sides[DIFF_OLD].counts[DIFF_CALLS];
    uint64_t new = table->entries[i].sides[DIFF_NEW].counts[DIFF_CALLS];
    if (calls_add(old, new) != CALLS_UNKNOWN) {
      diff->totals[DIFF_OLD].counts[DIFF_CALLS] += old;
      diff->totals[DIFF_NEW].counts[DIFF_CALLS] += new;
    }
  }
}

__extension__ typedef unsigned __int128 uint128;

/* VALUE times NEW through OLD, to the nearest, halves up; VALUE itself when
 * OLD is zero.  A result that does not fit is the largest number. */
static uint64_t
scale(uint64_t value, uint64_t old, uint64_t new)
{
  if (old == 0)
    return value;
  uint128 scaled = ((uint128)value * new + old / 2) / old;
  return scaled > INT64_MAX ? INT64_MAX : (uint64_t)scaled;
}

/* Scales all that is old by the ratio of the totals. */
static void
normalize(struct diff *diff)
{
  const uint64_t *old = diff->totals[DIFF_OLD].counts;
  const uint64_t *new = diff->totals[DIFF_NEW].counts;
  for (size_t kind = 0; kind < DIFF_KINDS; kind++)
    for (size_t i = 0; i < diff->tables[kind].entry_count; i++) {
      uint64_t *counts = diff->tables[kind].entries[i].sides[DIFF_OLD].counts;
      for (int m = 0; m < DIFF_COUNTS; m++)
        if (counts[m] != CALLS_UNKNOWN)
          counts[m] = scale(counts[m], old[m], new[m]);
    }
}

void
diff_check_languages(const struct profile *old, const struct profile *new)
{
  if (old->language != new->language)
    fail_with(MPROF_BAD_PROFILE, "profiles of a Lisp program and a C program "
                                 "cannot be compared");
}

void
diff_init(struct diff *diff, const struct profile profiles[DIFF_SIDES],
          const struct view_options *options,
          const struct diff_options *given)
{
  *diff = (struct diff){.options = options, .given = given};
  names_init(&diff->names);
  for (int kind = 0; kind < DIFF_TABLES; kind++)
    tree_init(&diff->tables[kind].tree);
  for (int side = 0; side < DIFF_SIDES; side++)
    diff->sides[side] = view_make(&profiles[side], options);
  diff_check_languages(&profiles[DIFF_OLD], &profiles[DIFF_NEW]);
  progress_tell("comparing", 0, 0);
  add_side(diff, DIFF_OLD);
  add_side(diff, DIFF_NEW);
  for (int kind = 0; kind < DIFF_TABLES; kind++)
    sort_entries(diff, (enum diff_kind)kind);
  total_calls(diff);
  if (given->normalize)
    normalize(diff);
}

/* ---- as text ---- */

/* Writes which file the side is of, which program, and what it lacks. */
static void
write_side(const struct diff *diff, enum diff_side side, struct sink *sink)
{
  const struct profile *profile = diff->sides[side]->profile;
  const char *program = profile_comment(profile, PPROF_COMMENT_PROGRAM);
  sink_text(sink, side == DIFF_OLD ? "  old: " : "  new: ");
  escape_name(sink, diff->options->files[side], "");
  if (program != NULL) {
    sink_text(sink, ", a profile of ");
    escape_name(sink, program, "");
  }
  if (profile->file_count > 1)
    sink_format(sink, ", %zu files", profile->file_count);
  sink_text(sink, "\n");
  report_live(diff->sides[side], sink);
  report_gaps(profile, sink);
}

void
diff_write(const struct diff *diff, struct sink *sink)
{
  const struct view *old = diff->sides[DIFF_OLD],
                    *new = diff->sides[DIFF_NEW];
  uint64_t tables = diff->options->tables;
  sink_text(sink, "Comparison of allocation profiles\n");
  for (int side = 0; side < DIFF_SIDES; side++)
    write_side(diff, (enum diff_side)side, sink);
  if (old->selection.narrowed || new->selection.narrowed)
    sink_text(sink, "Selected by the options: all figures refer to the "
                    "selection.\n");
  report_counted(new, sink);
  diff_write_table(diff, DIFF_TOTALS, sink);
  if (diff->given->normalize)
    sink_format(sink,
                "\nBelow, old bytes are multiplied by %" PRIu64 "/%" PRIu64
                ", and allocations and calls\nlikewise, so that the totals "
                "are equal.\n",
                diff->totals[DIFF_NEW].counts[MEASURE_BYTES],
                diff->totals[DIFF_OLD].counts[MEASURE_BYTES]);
  if (tables == 0)
    tables =
        ~((uint64_t)(new->profile->language == LANGUAGE_C) << DIFF_TYPES);
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    if ((tables >> kind & 1) != 0)
      diff_write_table(diff, (enum diff_kind)kind, sink);
  diff_explain(diff, sink);
}
