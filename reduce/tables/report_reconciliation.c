/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RECONCILIATION: the monitor's count beside the collector's own, from the
 * comments of the file.  The residual is computed here, not believed; where
 * the file states another one, both are shown.  Then how good the chains are:
 * chains that were cut short, bytes without a function's name.
 */

#include "common/pprof_format.h"
#include "tables/report.h"
#include "tables/table.h"

#include <inttypes.h>

static const struct column columns[] = {
    {HEADING(0, NULL, "")},
    {LEFT_HEADING(2, "")},
};

static void
add_row(struct text_table *table, int64_t value, const char *meaning)
{
  text_table_cell(table, "%" PRId64, value);
  text_table_cell(table, "%s", meaning);
}

static void
add_fact(const struct profile *profile, struct text_table *table, int fact,
         bool shown, const char *meaning)
{
  if (shown)
    add_row(table, profile->facts[fact], meaning);
}

/* Writes the comments of KEY, below HEADING if it is not NULL.  Returns
 * whether there are any. */
static bool
write_notes(const struct view *view, struct sink *sink, const char *heading,
            const char *key)
{
  const struct profile *profile = view->profile;
  bool any = false;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *note = profile_comment_value(profile, i, key);
    if (note == NULL)
      continue;
    if (!any && heading != NULL)
      sink_format(sink, "%s\n", heading);
    any = true;
    sink_text(sink, "  ");
    escape_name(sink, note, "");
    sink_text(sink, "\n");
  }
  return any;
}

void
report_unattributed(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  int64_t allocs = profile->facts[FACT_UNATTRIBUTED_ALLOCATIONS];
  int64_t bytes = profile->facts[FACT_UNATTRIBUTED_BYTES];
  int64_t cut = profile->facts[FACT_CUT_ALLOCATIONS];
  static const char *const notes[][2] = {
      {"MISSING CALLERS", PPROF_COMMENT_CHAIN_NOTE},
      {"MISSING CLASSES", PPROF_COMMENT_CLASS_NOTE},
      {"MISSING NAMES", PPROF_COMMENT_SYMBOL_NOTE},
      {"NOT COUNTED", PPROF_COMMENT_LOST_NOTE},
  };
  bool any = allocs != 0 || bytes != 0 || cut != 0;
  if (allocs != 0 || bytes != 0)
    sink_format(sink,
                "OVER THE BUDGET: %" PRId64 " allocations, %" PRId64
                " bytes show as [over the budget] below their callers\n",
                allocs, bytes);
  any = write_notes(view, sink, NULL, PPROF_COMMENT_UNATTRIBUTED_NOTE) || any;
  if (cut != 0)
    sink_format(sink,
                "CUT SHORT: %" PRId64
                " allocation%s without the outermost callers\n",
                cut, cut == 1 ? "" : "s");
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
    any = write_notes(view, sink, notes[i][0], notes[i][1]) || any;
  if (any)
    sink_text(sink, "\n");
}

/* Adds the rows on the collector, as far as the file knows of it. */
static void
add_collector(const struct profile *profile, struct text_table *table)
{
  const int64_t *facts = profile->facts;
  bool knows_rounded = profile_knows(profile, FACT_ROUNDED_BYTES);
  bool knows_collector = profile_knows(profile, FACT_COLLECTOR_BYTES);
  bool knows_residual = profile_knows(profile, FACT_RESIDUAL_BYTES);
  bool records = facts[FACT_COLLECTOR_RECORD_BYTES] != 0;
  int64_t residual = facts[FACT_COLLECTOR_BYTES] - facts[FACT_ROUNDED_BYTES] -
                     facts[FACT_COLLECTOR_RECORD_BYTES];
  add_fact(profile, table, FACT_MALLOC_BYTES, facts[FACT_MALLOC_BYTES] != 0,
           "bytes of these from malloc, which the collector does not count");
  add_fact(profile, table, FACT_ROUNDED_BYTES, knows_rounded,
           facts[FACT_MALLOC_BYTES] != 0
               ? "bytes of the others, as rounded up by the collector"
               : "bytes as rounded up by the collector");
  add_fact(profile, table, FACT_COLLECTOR_RECORD_BYTES, records,
           "bytes of the collector's own records for finalizers, weak links "
           "and threads");
  add_fact(profile, table, FACT_COLLECTOR_BYTES, knows_collector,
           "bytes that the collector itself counted in the same period");
  if (!knows_rounded || !knows_collector) {
    add_fact(profile, table, FACT_RESIDUAL_BYTES, knows_residual, "residual");
    return;
  }
  add_row(table, residual,
          records ? "residual: the last of these less the two before it"
                  : "residual: the difference between these two");
  add_fact(profile, table, FACT_RESIDUAL_BYTES,
           knows_residual && facts[FACT_RESIDUAL_BYTES] != residual,
           "residual as the monitor stated it, which differs");
}

/* Adds a row with BYTES and, after MEANING, their share of all, in
 * thousandths of a per cent, rounded up so that only nothing is 0. */
static void
add_share_row(const struct profile *profile, struct text_table *table,
              uint64_t bytes, const char *meaning)
{
  uint64_t all = profile->total[MEASURE_BYTES];
  unsigned __int128 scaled = (unsigned __int128)bytes * 100000;
  uint64_t share = all == 0 ? 0 : (uint64_t)((scaled + all - 1) / all);
  text_table_cell(table, "%" PRIu64, bytes);
  text_table_cell(table, "%s: %" PRIu64 ".%03u %% of all", meaning,
                  share / 1000, (unsigned)(share % 1000));
}

static void
add_chains(const struct view *view, struct text_table *table)
{
  const struct profile *profile = view->profile;
  const struct selection *selection = &view->selection;
  add_fact(profile, table, FACT_CUT_ALLOCATIONS,
           profile_knows(profile, FACT_CUT_ALLOCATIONS),
           "allocations whose chains lack the outermost callers");
  add_fact(
      profile, table, FACT_DIFFERING_WALKS,
      profile->facts[FACT_DIFFERING_WALKS] != 0,
      "stack walks that disagree with a recorded frame: please report this");
  add_share_row(profile, table, selection->nameless_leaf_bytes,
                "bytes allocated by unnamed code, charged to no function");
  add_share_row(profile, table, selection->nameless_chain_bytes,
                "bytes with unnamed code on their chain");
}

void
report_reconciliation(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  bool unattributed = profile->facts[FACT_UNATTRIBUTED_ALLOCATIONS] != 0 ||
                      profile->facts[FACT_UNATTRIBUTED_BYTES] != 0;
  struct text_table table;
  text_columns_begin(&table, view, columns,
                     sizeof columns / sizeof columns[0]);
  if (report_knows_allocs(view))
    add_row(&table, (int64_t)profile->total[MEASURE_ALLOCS],
            "allocations counted");
  add_row(&table, (int64_t)profile->total[MEASURE_BYTES],
          "bytes requested by them");
  add_fact(profile, &table, FACT_UNATTRIBUTED_ALLOCATIONS, unattributed,
           "allocations over the context budget");
  add_fact(profile, &table, FACT_UNATTRIBUTED_BYTES, unattributed,
           "bytes over the context budget; their callers include them");
  add_collector(profile, &table);
  add_chains(view, &table);
  report_heading(sink, "RECONCILIATION");
  text_table_print_rows(&table, sink);
  if (!profile_knows(profile, FACT_COLLECTOR_BYTES) &&
      profile->language != LANGUAGE_C)
    sink_text(sink,
              "The profile does not record what the collector counted.\n");
  if (profile_comment(profile, PPROF_COMMENT_RESIDUAL_NOTE) != NULL) {
    sink_text(sink, "\nThe residual consists of:\n");
    (void)write_notes(view, sink, NULL, PPROF_COMMENT_RESIDUAL_NOTE);
  }
}
