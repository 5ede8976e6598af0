/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A comparison as text: what is compared, the totals, the tables that are
 * asked for, and what their columns mean.
 */

#include "common/pprof_format.h"
#include "diff/diff.h"

#include "analysis/grouping.h"
#include "diff/diff_cells.h"
#include "diff/diff_table.h"
#include "tables/report.h"
#include "tables/text_report.h"

const struct diff_output diff_tables[] = {
    {"functions", "by what each function itself allocated"},
    {"inclusive", "by what each function and all below it allocated"},
    {"types", "by type"},
    {"contexts", "by context: the chain of functions that allocated"},
    {NULL, NULL},
};

static const struct text_column total_columns[] = {
    {NULL, 0, "old", 0, false},    {NULL, 0, "new", 2, false},
    {NULL, 0, "change", 2, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "", 2, true},
};

static void
add_total(struct text_table *table, bool known, uint64_t old, uint64_t new,
          const char *name)
{
  if (!known)
    return;
  text_table_number(table, old);
  text_table_number(table, new);
  diff_add_change(table, old, new);
  diff_add_percent(table, old, new);
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
    int64_t old = diff->sides[DIFF_OLD].profile->facts[rows[i].fact];
    int64_t new = diff->sides[DIFF_NEW].profile->facts[rows[i].fact];
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
  enum measure counted = reduction_counted(&diff->sides[DIFF_NEW]);
  struct text_table table;
  count_entries(diff, DIFF_FUNCTIONS, functions);
  count_entries(diff, DIFF_CONTEXTS, contexts);
  text_table_init(&table, total_columns,
                  sizeof total_columns / sizeof total_columns[0]);
  for (int i = 0; i < MEASURE_COUNT; i++)
    add_total(&table,
              i == MEASURE_ALLOCS ? diff_knows_allocs(diff)
                                  : diff_knows(diff, (enum measure)i),
              old->counts[i], new->counts[i],
              i <= MEASURE_ALLOCS
                  ? measure_noun(counted, measure_rows[i].bytes)
                  : measure_rows[i].noun);
  add_total(&table, true, functions[DIFF_OLD], functions[DIFF_NEW],
            granularity_noun(diff->options->by, true));
  add_total(&table, true, contexts[DIFF_OLD], contexts[DIFF_NEW], "contexts");
  add_unattributed(diff, &table);
  report_heading(sink, "TOTALS");
  text_table_print(&table, sink);
  if (diff->limits->normalize)
    sink_format(sink,
                "\nBelow, old bytes are multiplied by %llu/%llu, and "
                "allocations and calls\nlikewise, so that the totals are "
                "equal.\n",
                (unsigned long long)new->counts[MEASURE_BYTES],
                (unsigned long long)old->counts[MEASURE_BYTES]);
  text_table_release(&table);
}

static void
write_side(const struct diff *diff, enum diff_side side, struct sink *sink)
{
  const struct profile *profile = diff->sides[side].profile;
  const char *program = profile_comment(profile, PPROF_COMMENT_PROGRAM, 0);
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
  if (diff_knows(diff, MEASURE_KEPT_BYTES))
    report_legend(reduction, sink, "bytes kept", "bytes never freed");
  if (diff_knows_calls(diff))
    report_legend(reduction, sink, "calls", report_calls_meaning(reduction));
  if (diff_knows_calls(diff) && (report_lacks_calls(&diff->sides[DIFF_OLD]) ||
                                 report_lacks_calls(reduction)))
    report_explain_unknown_calls(reduction, sink);
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
         diff->sides[DIFF_NEW].profile->language == LANGUAGE_LISP;
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
  report_counted(&diff->sides[DIFF_NEW], sink);
  write_totals(diff, sink);
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    if (wants_table(diff, (enum diff_kind)kind))
      diff_table_write(diff, (enum diff_kind)kind, sink);
  write_legend(diff, sink);
}
