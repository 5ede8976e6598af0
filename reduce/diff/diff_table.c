/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One table of a comparison.  Rows are in order of the absolute change: of
 * bytes, or of what else is asked for; then of the other counts, then of what
 * both sides have together, then of the name (of a chain: of the names from
 * the root on).  So the order is total.
 *
 * A row is left out when its change is below the smallest share of the larger
 * total; one that did not change shows only under -verbose.
 */

#include "diff/diff_table.h"

#include "diff/diff_cells.h"

#include "analysis/grouping.h"
#include "base/array.h"
#include "tables/ranking.h"
#include "tables/report.h"
#include "tables/text_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What a table is made of. */
struct layout {
  const struct diff *diff;
  enum diff_kind kind;
  enum measure order; /* whose change rows are in order of */
  enum measure
      third;  /* shown behind bytes and allocations, or MEASURE_COUNT */
  bool calls; /* shown at the end, where they are known */
};

/* One entry on its way into a table. */
struct diff_row {
  uint64_t changes[3]; /* absolute: of the order, of bytes, of allocations */
  uint64_t both;       /* what both sides have, of the order's measure */
  const struct diff *diff;
  const uint64_t *key; /* name ids */
  size_t key_length;
  const struct diff_entry *entry;
};

static int
compare_keys(const struct diff_row *a, const struct diff_row *b)
{
  const struct names *names = &a->diff->names;
  for (size_t i = 0; i < a->key_length && i < b->key_length; i++) {
    if (a->key[i] == b->key[i])
      continue;
    int order = strcmp(names_text(names, (uint32_t)a->key[i]),
                       names_text(names, (uint32_t)b->key[i]));
    if (order != 0)
      return order;
  }
  return a->key_length < b->key_length ? -1 : a->key_length > b->key_length;
}

static int
descending(uint64_t a, uint64_t b)
{
  return a > b ? -1 : a < b;
}

/* By changes, by what both have, by name. */
static int
compare_changes(const void *left, const void *right)
{
  const struct diff_row *a = left;
  const struct diff_row *b = right;
  int order = 0;
  for (size_t i = 0; i < 3 && order == 0; i++)
    order = descending(a->changes[i], b->changes[i]);
  if (order == 0)
    order = descending(a->both, b->both);
  return order != 0 ? order : compare_keys(a, b);
}

/* By name. */
static int
compare_names(const void *left, const void *right)
{
  return compare_keys(left, right);
}

/* Change, per cents, old and new, or four empty cells. */
static void
add_counts(struct text_table *table, bool known, uint64_t old, uint64_t new)
{
  if (!known) {
    text_table_skip(table, 4);
    return;
  }
  diff_add_change(table, old, new);
  diff_add_percent(table, old, new);
  text_table_number(table, old);
  text_table_number(table, new);
}

static bool
is_of_functions(enum diff_kind kind)
{
  return kind == DIFF_FUNCTIONS || kind == DIFF_INCLUSIVE;
}

/* Change, old and new. */
static void
add_change_cells(struct text_table *table, uint64_t old, uint64_t new)
{
  diff_add_change(table, old, new);
  text_table_number(table, old);
  text_table_number(table, new);
}

/* The same of calls: an unknown figure is blank, and so is a change of it. */
static void
add_calls_cells(struct text_table *table,
                const struct diff_figures sides[DIFF_SIDES])
{
  if (diff_calls_known(sides))
    diff_add_change(table, sides[DIFF_OLD].calls, sides[DIFF_NEW].calls);
  else
    text_table_skip(table, 1);
  report_calls(table, sides[DIFF_OLD].calls);
  report_calls(table, sides[DIFF_NEW].calls);
}

/* The name of ROW's function or type, or its chain as folded stacks have it.
 */
static void
add_key(struct text_table *table, const struct diff_row *row,
        enum diff_kind kind)
{
  const struct names *names = &row->diff->names;
  struct string_sink chain;
  if (kind != DIFF_CONTEXTS) {
    text_table_name(table, names_text(names, (uint32_t)row->key[0]));
    return;
  }
  string_sink_init(&chain);
  for (size_t i = 0; i < row->key_length; i++) {
    sink_text(&chain.sink, i == 0 ? "" : ";");
    escape_name(&chain.sink, names_text(names, (uint32_t)row->key[i]), ";");
  }
  const char *text = string_sink_text(&chain);
  table->failed = table->failed || text == NULL;
  text_table_name(table, text == NULL ? "" : text);
  string_sink_release(&chain);
}

static void
add_row(struct text_table *table, const struct layout *layout,
        const struct diff_row *row)
{
  const struct diff_entry *entry = row->entry;
  const struct diff_figures *old = &entry->sides[DIFF_OLD];
  const struct diff_figures *new = &entry->sides[DIFF_NEW];
  add_counts(table, true, old->counts[MEASURE_BYTES],
             new->counts[MEASURE_BYTES]);
  add_counts(table, diff_knows_allocs(layout->diff),
             old->counts[MEASURE_ALLOCS], new->counts[MEASURE_ALLOCS]);
  if (layout->third != MEASURE_COUNT)
    add_change_cells(table, old->counts[layout->third],
                     new->counts[layout->third]);
  if (layout->calls)
    add_calls_cells(table, entry->sides);
  text_table_cell(table, "%s",
                  !entry->present[DIFF_OLD]   ? "new"
                  : !entry->present[DIFF_NEW] ? "gone"
                                              : "");
  add_key(table, row, layout->kind);
}

/* Three columns, change, old and new, below TOP. */
static void
push_change_columns(struct text_column *columns, size_t *count,
                    const char *top)
{
  columns[(*count)++] = (struct text_column){top, 3, "change", 3, false};
  columns[(*count)++] = (struct text_column){NULL, 0, "old", 2, false};
  columns[(*count)++] = (struct text_column){NULL, 0, "new", 2, false};
}

/* Puts the columns of LAYOUT into COLUMNS, for which there is room; gives
 * back their number. */
static size_t
choose_columns(const struct layout *layout, struct text_column *columns)
{
  size_t count = 0;
  for (int i = 0; i < 2; i++) {
    const char *top = i == 0 ? "bytes" : "allocs";
    columns[count++] =
        (struct text_column){top, 4, "change", i == 0 ? 0 : 3, false};
    columns[count++] = (struct text_column){NULL, 0, "%", 1, false};
    columns[count++] = (struct text_column){NULL, 0, "old", 2, false};
    columns[count++] = (struct text_column){NULL, 0, "new", 2, false};
  }
  if (layout->third != MEASURE_COUNT)
    push_change_columns(columns, &count, measure_rows[layout->third].noun);
  if (layout->calls)
    push_change_columns(columns, &count, "calls");
  columns[count++] = (struct text_column){NULL, 0, "", 3, true};
  columns[count++] = (struct text_column){NULL, 0, "name", 1, true};
  return count;
}

static bool
is_empty(const struct diff_entry *entry, const struct layout *layout)
{
  for (int i = 0; i < DIFF_SIDES; i++)
    if (entry->sides[i].counts[MEASURE_BYTES] != 0 ||
        entry->sides[i].counts[MEASURE_ALLOCS] != 0 ||
        (layout->calls && layout->kind == DIFF_FUNCTIONS &&
         entry->sides[i].calls != 0))
      return false;
  return true;
}

/* The absolute change of MEASURE. */
static uint64_t
change_of(const struct diff_entry *entry, enum measure measure)
{
  return diff_distance(entry->sides[DIFF_OLD].counts[measure],
                       entry->sides[DIFF_NEW].counts[measure]);
}

/* Makes rows of the entries that LAYOUT is about, in order; *COUNT of them.
 * NULL when memory runs out. */
static struct diff_row *
sort_rows(const struct layout *layout, size_t *count)
{
  const struct diff *diff = layout->diff;
  const struct diff_table *table = &diff->tables[layout->kind];
  struct diff_row *rows = array_zeroed(table->entry_count, sizeof *rows);
  *count = 0;
  for (size_t i = 0; rows != NULL && i < table->entry_count; i++) {
    const struct diff_entry *entry = &table->entries[i];
    struct diff_row row = {.diff = diff, .entry = entry};
    if (is_empty(entry, layout))
      continue;
    row.key = row_table_words(&table->keys, i, &row.key_length);
    row.changes[0] = change_of(entry, layout->order);
    row.changes[1] = change_of(entry, MEASURE_BYTES);
    row.changes[2] = change_of(entry, MEASURE_ALLOCS);
    row.both = entry->sides[DIFF_OLD].counts[layout->order] +
               entry->sides[DIFF_NEW].counts[layout->order];
    rows[(*count)++] = row;
  }
  array_sort(rows, *count, sizeof *rows,
             diff->options->sort == SORT_NAME ? compare_names
                                              : compare_changes);
  return rows;
}

/* Whether anything that LAYOUT shows of ROW changed. */
static bool
has_changed(const struct layout *layout, const struct diff_row *row)
{
  const struct diff_entry *entry = row->entry;
  return row->changes[1] != 0 || row->changes[2] != 0 ||
         (layout->third != MEASURE_COUNT &&
          change_of(entry, layout->third) != 0) ||
         (diff_calls_known(entry->sides) &&
          entry->sides[DIFF_OLD].calls != entry->sides[DIFF_NEW].calls);
}

/* Whether the change of MEASURE in ROW has the share of the larger total that
 * the options ask for. */
static bool
has_share(const struct layout *layout, const struct diff_row *row,
          enum measure measure)
{
  const struct diff *diff = layout->diff;
  uint64_t old = diff->totals[DIFF_OLD].counts[measure];
  uint64_t new = diff->totals[DIFF_NEW].counts[measure];
  return share_reached(change_of(row->entry, measure),
                       old > new && !diff->limits->normalize ? old : new,
                       diff->options->min_share);
}

/* Whether ROW is large enough to show: by what the rows are in order of, and
 * also by the measure that is shown behind, so that no new leak is left out
 * since nothing else changed. */
static bool
is_large(const struct layout *layout, const struct diff_row *row)
{
  return has_share(layout, row, layout->order) ||
         (layout->third != MEASURE_COUNT &&
          change_of(row->entry, layout->third) != 0 &&
          has_share(layout, row, layout->third));
}

/* What a table leaves out. */
struct left_out {
  size_t unchanged, small;
  uint64_t more, less; /* sums of the small changes, of the order's measure */
};

static void
leave_out(struct left_out *left, const struct layout *layout,
          const struct diff_row *row)
{
  uint64_t from = row->entry->sides[DIFF_OLD].counts[layout->order];
  uint64_t to = row->entry->sides[DIFF_NEW].counts[layout->order];
  if (has_changed(layout, row))
    left->small++;
  else
    left->unchanged++;
  if (to > from)
    left->more += to - from;
  else
    left->less += from - to;
}

/* What COUNT rows of KIND are called. */
static const char *
row_noun(const struct diff *diff, enum diff_kind kind, size_t count)
{
  if (is_of_functions(kind))
    return granularity_noun(diff->options->by, count != 1);
  if (kind == DIFF_TYPES)
    return count == 1 ? "type" : "types";
  return count == 1 ? "context" : "contexts";
}

static void
write_left_out(const struct diff *diff, const struct left_out *left,
               enum diff_kind kind, struct sink *sink)
{
  if (left->unchanged == 0 && left->small == 0)
    return;
  sink_text(sink, "\n  Left out: ");
  if (left->unchanged > 0)
    sink_format(sink, "%zu %s that did not change", left->unchanged,
                row_noun(diff, kind, left->unchanged));
  if (left->small > 0)
    sink_format(sink, "%s%zu %s that changed less",
                left->unchanged > 0 ? ", " : "", left->small,
                row_noun(diff, kind, left->small));
  /* Inclusive figures cannot be added up. */
  if (left->small > 0 && kind != DIFF_INCLUSIVE)
    sink_format(sink, ", in all +%llu -%llu %s",
                (unsigned long long)left->more,
                (unsigned long long)left->less,
                measure_rows[sort_measure(diff->options->sort)].noun);
  sink_text(sink, "; -verbose shows them.\n");
}

/* Writes the heading of the table KIND, made of what its rows are called. */
static void
write_heading(const struct diff *diff, enum diff_kind kind, struct sink *sink)
{
  char title[64];
  snprintf(title, sizeof title, "%s%s", row_noun(diff, kind, 2),
           kind == DIFF_INCLUSIVE ? " with all below them" : "");
  for (char *c = title; *c != '\0'; c++)
    if (*c >= 'a' && *c <= 'z')
      *c = (char)(*c - 'a' + 'A');
  report_heading(sink, title);
}

void
diff_table_write(const struct diff *diff, enum diff_kind kind,
                 struct sink *sink)
{
  const struct view_options *options = diff->options;
  struct layout layout = {.diff = diff,
                          .kind = kind,
                          .order = sort_measure(options->sort),
                          .third = MEASURE_COUNT,
                          .calls = is_of_functions(kind) &&
                                   diff_knows_calls(diff)};
  struct left_out left = {0};
  struct text_column columns[MOST_COLUMNS];
  struct text_table table;
  size_t count;
  size_t shown = 0;
  if (layout.order > MEASURE_ALLOCS)
    layout.third = layout.order;
  else if (diff_knows(diff, MEASURE_KEPT_BYTES))
    layout.third = MEASURE_KEPT_BYTES;
  struct diff_row *rows = sort_rows(&layout, &count);
  text_table_init(&table, columns, choose_columns(&layout, columns));
  if (rows == NULL)
    sink_fail(sink, ENOMEM);
  for (size_t i = 0; rows != NULL && i < count; i++) {
    const struct diff_row *row = &rows[i];
    if (shown < options->limit &&
        (has_changed(&layout, row) || options->verbose) &&
        is_large(&layout, row)) {
      add_row(&table, &layout, row);
      shown++;
    } else {
      leave_out(&left, &layout, row);
    }
  }
  write_heading(diff, kind, sink);
  if (shown > 0)
    text_table_print(&table, sink);
  else
    sink_text(sink, left.small > 0 ? "Nothing changed so much.\n"
                                   : "Nothing changed.\n");
  write_left_out(diff, &left, kind, sink);
  text_table_release(&table);
  free(rows);
}
