/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a comparison.  Rows are in order of the absolute change: of
 * bytes, or of allocations when that is asked for; then of the other count,
 * then of what both sides have together, then of the name (of a chain: of
 * the names from the root on).  So the order is total.
 *
 * A row is left out when its change is below the smallest share of the larger
 * total; one that did not change shows only under -verbose.
 */

#include "diff/diff.h"

#include "graph/grouping.h"
#include "profile/array.h"
#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

const struct diff_output diff_tables[] = {
    {"functions", "by what each function itself allocated"},
    {"inclusive", "by what each function and all below it allocated"},
    {"types", "by type"},
    {"contexts", "by call chain"},
    {NULL, NULL},
};

static const struct text_column columns[] = {
    {"bytes", 4, "change", 0, false},
    {NULL, 0, "%", 1, false},
    {NULL, 0, "old", 2, false},
    {NULL, 0, "new", 2, false},
    {"allocs", 4, "change", 3, false},
    {NULL, 0, "%", 1, false},
    {NULL, 0, "old", 2, false},
    {NULL, 0, "new", 2, false},
    {NULL, 0, "", 3, true},
    {NULL, 0, "name", 1, true},
};

static const struct text_column function_columns[] = {
    {"bytes", 4, "change", 0, false},  {NULL, 0, "%", 1, false},
    {NULL, 0, "old", 2, false},        {NULL, 0, "new", 2, false},
    {"allocs", 4, "change", 3, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "old", 2, false},        {NULL, 0, "new", 2, false},
    {"calls", 3, "change", 3, false},  {NULL, 0, "old", 2, false},
    {NULL, 0, "new", 2, false},        {NULL, 0, "", 3, true},
    {NULL, 0, "name", 1, true},
};

static const struct text_column total_columns[] = {
    {NULL, 0, "old", 0, false},    {NULL, 0, "new", 2, false},
    {NULL, 0, "change", 2, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "", 2, true},
};

/* One entry on its way into a table. */
struct diff_row {
  uint64_t first, second; /* absolute changes, that of the order first */
  uint64_t both;          /* what both sides have, of the order's count */
  const struct diff *diff;
  const uint64_t *key; /* name ids */
  size_t key_length;
  const struct diff_entry *entry;
};

static uint64_t
distance(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

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
  int order = descending(a->first, b->first);
  if (order == 0)
    order = descending(a->second, b->second);
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

/* "+12" or "-3"; nothing for no change. */
static void
add_change(struct text_table *table, uint64_t old, uint64_t new)
{
  if (old == new)
    text_table_skip(table, 1);
  else
    text_table_cell(table, "%c%llu", new > old ? '+' : '-',
                    (unsigned long long)distance(old, new));
}

/* The change in per cents of OLD, with one decimal, to the nearest, halves
 * away from zero; nothing without an old figure. */
static void
add_percent(struct text_table *table, uint64_t old, uint64_t new)
{
  if (old == new || old == 0) {
    text_table_skip(table, 1);
    return;
  }
  uint128 tenths = ((uint128)distance(old, new) * 1000 + old / 2) / old;
  if (tenths > 99999)
    text_table_cell(table, ">+9999");
  else
    text_table_cell(table, "%c%u.%u", new > old ? '+' : '-',
                    (unsigned)tenths / 10, (unsigned)tenths % 10);
}

/* Change, per cents, old and new, or four empty cells. */
static void
add_counts(struct text_table *table, bool known, uint64_t old, uint64_t new)
{
  if (!known) {
    text_table_skip(table, 4);
    return;
  }
  add_change(table, old, new);
  add_percent(table, old, new);
  text_table_number(table, old);
  text_table_number(table, new);
}

static bool
knows_allocs(const struct diff *diff)
{
  return diff->sides[DIFF_OLD].profile.gaps.countless == 0 &&
         diff->sides[DIFF_NEW].profile.gaps.countless == 0;
}

static bool
is_of_functions(enum diff_kind kind)
{
  return kind == DIFF_FUNCTIONS || kind == DIFF_INCLUSIVE;
}

static bool
knows_calls(const struct diff *diff, enum diff_kind kind)
{
  return is_of_functions(kind) &&
         diff->sides[DIFF_OLD].profile.has_activations &&
         diff->sides[DIFF_NEW].profile.has_activations;
}

/* The name of ROW's function or type, or its chain as folded stacks have it.
 */
static void
add_key(struct text_table *table, const struct diff_row *row,
        enum diff_kind kind)
{
  const struct names *names = &row->diff->names;
  struct sink_string text = {0};
  struct sink sink;
  if (kind != DIFF_CONTEXTS) {
    text_table_name(table, names_text(names, (uint32_t)row->key[0]));
    return;
  }
  sink_init(&sink, sink_write_string, &text);
  for (size_t i = 0; i < row->key_length; i++) {
    sink_text(&sink, i == 0 ? "" : ";");
    escape_name(&sink, names_text(names, (uint32_t)row->key[i]), ";");
  }
  if (sink_flush(&sink) && text.text != NULL)
    text_table_name(table, text.text);
  else
    table->failed = true;
  free(text.text);
}

static void
add_row(struct text_table *table, const struct diff_row *row,
        enum diff_kind kind)
{
  const struct diff_entry *entry = row->entry;
  const struct diff_figures *old = &entry->sides[DIFF_OLD];
  const struct diff_figures *new = &entry->sides[DIFF_NEW];
  add_counts(table, true, old->bytes, new->bytes);
  add_counts(table, knows_allocs(row->diff), old->allocs, new->allocs);
  if (knows_calls(row->diff, kind)) {
    add_change(table, old->calls, new->calls);
    text_table_number(table, old->calls);
    text_table_number(table, new->calls);
  } else if (is_of_functions(kind)) {
    text_table_skip(table, 3);
  }
  text_table_cell(table, "%s",
                  !entry->present[DIFF_OLD]   ? "new"
                  : !entry->present[DIFF_NEW] ? "gone"
                                              : "");
  add_key(table, row, kind);
}

static bool
is_empty(const struct diff_entry *entry, enum diff_kind kind, bool calls)
{
  for (int i = 0; i < DIFF_SIDES; i++)
    if (entry->sides[i].bytes != 0 || entry->sides[i].allocs != 0 ||
        (calls && kind == DIFF_FUNCTIONS && entry->sides[i].calls != 0))
      return false;
  return true;
}

/* Makes rows of the entries of KIND, in order; *COUNT of them.  NULL when
 * memory runs out. */
static struct diff_row *
sort_rows(const struct diff *diff, enum diff_kind kind, size_t *count)
{
  const struct diff_table *table = &diff->tables[kind];
  enum sort_key sort = diff->options->sort;
  struct diff_row *rows = array_zeroed(table->entry_count, sizeof *rows);
  *count = 0;
  for (size_t i = 0; rows != NULL && i < table->entry_count; i++) {
    const struct diff_entry *entry = &table->entries[i];
    const struct diff_figures *old = &entry->sides[DIFF_OLD];
    const struct diff_figures *new = &entry->sides[DIFF_NEW];
    struct diff_row row = {.diff = diff, .entry = entry};
    if (is_empty(entry, kind, knows_calls(diff, kind)))
      continue;
    row.key = row_table_words(&table->keys, i, &row.key_length);
    row.first = distance(old->bytes, new->bytes);
    row.second = distance(old->allocs, new->allocs);
    row.both = old->bytes + new->bytes;
    if (sort == SORT_ALLOCS) {
      uint64_t bytes = row.first;
      row.first = row.second;
      row.second = bytes;
      row.both = old->allocs + new->allocs;
    }
    rows[(*count)++] = row;
  }
  array_sort(rows, *count, sizeof *rows,
             sort == SORT_NAME ? compare_names : compare_changes);
  return rows;
}

/* What a table leaves out. */
struct left_out {
  size_t unchanged, small;
  uint64_t more, less; /* sums of the small changes, of the order's count */
};

static void
leave_out(struct left_out *left, const struct diff_row *row, bool allocs)
{
  const struct diff_figures *old = &row->entry->sides[DIFF_OLD];
  const struct diff_figures *new = &row->entry->sides[DIFF_NEW];
  uint64_t from = allocs ? old->allocs : old->bytes;
  uint64_t to = allocs ? new->allocs : new->bytes;
  if (row->first == 0 && row->second == 0 && old->calls == new->calls)
    left->unchanged++;
  else
    left->small++;
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
  return count == 1 ? "call chain" : "call chains";
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
                diff->options->sort == SORT_ALLOCS ? "allocations" : "bytes");
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

static void
write_table(const struct diff *diff, enum diff_kind kind, struct sink *sink)
{
  const struct options *options = diff->options;
  bool allocs = options->sort == SORT_ALLOCS;
  const struct diff_figures *old = &diff->totals[DIFF_OLD];
  const struct diff_figures *new = &diff->totals[DIFF_NEW];
  uint64_t old_total = allocs ? old->allocs : old->bytes;
  uint64_t new_total = allocs ? new->allocs : new->bytes;
  uint64_t larger =
      old_total > new_total && !options->normalize ? old_total : new_total;
  struct left_out left = {0};
  struct text_table table;
  size_t count;
  size_t shown = 0;
  struct diff_row *rows = sort_rows(diff, kind, &count);
  if (is_of_functions(kind))
    text_table_init(&table, function_columns,
                    sizeof function_columns / sizeof function_columns[0]);
  else
    text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
  if (rows == NULL)
    sink_fail(sink, ENOMEM);
  for (size_t i = 0; rows != NULL && i < count; i++) {
    const struct diff_row *row = &rows[i];
    bool changed = row->first != 0 || row->second != 0 ||
                   row->entry->sides[DIFF_OLD].calls !=
                       row->entry->sides[DIFF_NEW].calls;
    if (shown < options->limit && (changed || options->verbose) &&
        share_reached(row->first, larger, options->min_share)) {
      add_row(&table, row, kind);
      shown++;
    } else {
      leave_out(&left, row, allocs);
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

static void
add_total(struct text_table *table, bool known, uint64_t old, uint64_t new,
          const char *name)
{
  if (!known)
    return;
  text_table_number(table, old);
  text_table_number(table, new);
  add_change(table, old, new);
  add_percent(table, old, new);
  text_table_cell(table, "%s", name);
}

/* How many entries of KIND each side has. */
static void
count_entries(const struct diff *diff, enum diff_kind kind,
              uint64_t counts[DIFF_SIDES])
{
  const struct diff_table *table = &diff->tables[kind];
  for (int side = 0; side < DIFF_SIDES; side++) {
    counts[side] = 0;
    for (size_t i = 0; i < table->entry_count; i++)
      counts[side] += table->entries[i].present[side];
  }
}

/* What either side could not attribute, when there is such a thing. */
static void
add_unattributed(const struct diff *diff, struct text_table *table)
{
  static const struct {
    enum profile_fact fact;
    const char *name;
  } rows[] = {
      {FACT_UNATTRIBUTED_ALLOCATIONS, "allocations without a caller"},
      {FACT_UNATTRIBUTED_BYTES, "bytes without a caller"},
      {FACT_TRUNCATED_WALKS, "walks of the stack that were cut short"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t old = diff->sides[DIFF_OLD].profile.facts[rows[i].fact];
    int64_t new = diff->sides[DIFF_NEW].profile.facts[rows[i].fact];
    add_total(table, old != 0 || new != 0, (uint64_t)old, (uint64_t) new,
              rows[i].name);
  }
}

static void
write_totals(const struct diff *diff, struct sink *sink)
{
  const struct diff_figures *old = &diff->totals[DIFF_OLD];
  const struct diff_figures *new = &diff->totals[DIFF_NEW];
  uint64_t functions[DIFF_SIDES];
  uint64_t contexts[DIFF_SIDES];
  struct text_table table;
  count_entries(diff, DIFF_FUNCTIONS, functions);
  count_entries(diff, DIFF_CONTEXTS, contexts);
  text_table_init(&table, total_columns,
                  sizeof total_columns / sizeof total_columns[0]);
  add_total(&table, true, old->bytes, new->bytes, "bytes");
  add_total(&table, knows_allocs(diff), old->allocs, new->allocs,
            "allocations");
  add_total(&table, true, functions[DIFF_OLD], functions[DIFF_NEW],
            granularity_noun(diff->options->by, true));
  add_total(&table, true, contexts[DIFF_OLD], contexts[DIFF_NEW],
            "call chains");
  add_unattributed(diff, &table);
  report_heading(sink, "TOTALS");
  text_table_print(&table, sink);
  if (diff->options->normalize)
    sink_format(sink,
                "\nBelow, old bytes are multiplied by %llu/%llu, and "
                "allocations and calls\nlikewise, so that the totals are "
                "equal.\n",
                (unsigned long long)new->bytes,
                (unsigned long long)old->bytes);
  text_table_release(&table);
}

static void
write_side(const struct diff *diff, enum diff_side side, struct sink *sink)
{
  const struct profile *profile = &diff->sides[side].profile;
  const char *program = profile_comment(profile, "mprof.program", 0);
  sink_text(sink, side == DIFF_OLD ? "  old: " : "  new: ");
  escape_name(sink, diff->options->files[side], "");
  if (program != NULL) {
    sink_text(sink, ", a profile of ");
    escape_name(sink, program, "");
  }
  if (profile->file_count > 1)
    sink_format(sink, ", %zu files", profile->file_count);
  sink_text(sink, "\n");
  report_gaps(profile, sink);
}

static void
write_legend(const struct diff *diff, struct sink *sink)
{
  const struct reduction *reduction = &diff->sides[DIFF_NEW];
  if (!diff->options->legend)
    return;
  sink_text(sink, "\n");
  report_legend(reduction, sink, "change", "new less old; blank: none");
  report_legend(reduction, sink, "%",
                "the change in per cents of the old figure, to the nearest "
                "tenth; blank where there is no old figure");
  report_legend(reduction, sink, "calls",
                "calls of the function that led to allocation");
  report_legend(reduction, sink, "new, gone",
                "only in the new profile, only in the old one");
}

/* Whether the table KIND is printed. */
static bool
wants_table(const struct diff *diff, enum diff_kind kind)
{
  uint64_t tables = diff->options->tables;
  if (tables != 0)
    return (tables >> kind & 1) != 0;
  return kind != DIFF_TYPES ||
         diff->sides[DIFF_NEW].profile.language == LANGUAGE_LISP;
}

void
diff_write(const struct diff *diff, struct sink *sink)
{
  sink_text(sink, "Allocation profiles compared\n");
  for (int side = 0; side < DIFF_SIDES; side++)
    write_side(diff, (enum diff_side)side, sink);
  if (diff->sides[DIFF_OLD].selection.narrowed ||
      diff->sides[DIFF_NEW].selection.narrowed)
    sink_text(sink, "Selected by the options: all figures are of what is "
                    "left.\n");
  write_totals(diff, sink);
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    if (wants_table(diff, (enum diff_kind)kind))
      write_table(diff, (enum diff_kind)kind, sink);
  write_legend(diff, sink);
}
