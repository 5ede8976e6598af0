/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RECONCILIATION: the monitor's count beside the collector's own, from the
 * comments of the file.  The residual is computed here, not believed; where
 * the file states another one, both are shown.  Then how good the chains are:
 * chains that were cut short, bytes without a function's name.
 */

#include "common/pprof_format.h"
#include "tables/report.h"
#include "tables/text_table.h"

#include <inttypes.h>

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
      {"ALLOCATORS NOT COUNTED", PPROF_COMMENT_ALLOCATOR_NOTE},
  };
  bool any = allocs != 0 || bytes != 0 || cut != 0;
  if (allocs != 0 || bytes != 0)
    sink_format(sink,
                "OVER THE BUDGET: %" PRId64 " allocations, %" PRId64
                " bytes show as [over the budget] below their callers\n",
                allocs, bytes);
  any = write_notes(view, sink, NULL, PPROF_COMMENT_UNATTRIBUTED_NOTE) || any;
  if (cut != 0)
    sink_format(sink, "CUT SHORT: %s without the outermost callers\n",
                report_count((uint64_t)cut, "allocation"));
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
    any = write_notes(view, sink, notes[i][0], notes[i][1]) || any;
  if (any)
    sink_text(sink, "\n");
}

/* Returns MEANING with the share of BYTES in ALL, in thousandths of a per
 * cent, rounded up so that only nothing is 0. */
static const char *
with_share(const char *meaning, uint64_t bytes, uint64_t all)
{
  unsigned __int128 scaled = (unsigned __int128)bytes * 100000;
  uint64_t share = all == 0 ? 0 : (uint64_t)((scaled + all - 1) / all);
  return pool_format("%s: %" PRIu64 ".%03u %% of all", meaning, share / 1000,
                     (unsigned)(share % 1000));
}

/* Writes the rows: what was counted, what of it is over the budget, what the
 * collector counted, as far as the file knows it, and how good chains are. */
static void
write_rows(const struct view *view, struct sink *sink)
{
  static const struct text_column columns[] = {
      {.bottom = ""}, {.bottom = "", .gap = 2, .left = true}};
  const struct profile *profile = view->profile;
  const struct selection *selection = &view->selection;
  const int64_t *facts = profile->facts;
  const uint64_t all = profile->total[MEASURE_BYTES];
  const bool over = facts[FACT_UNATTRIBUTED_ALLOCATIONS] != 0 ||
                    facts[FACT_UNATTRIBUTED_BYTES] != 0;
  const bool malloced = facts[FACT_MALLOC_BYTES] != 0;
  const bool records = facts[FACT_COLLECTOR_RECORD_BYTES] != 0;
  const bool rounded = profile_knows(profile, FACT_ROUNDED_BYTES);
  const bool collector = profile_knows(profile, FACT_COLLECTOR_BYTES);
  const bool stated = profile_knows(profile, FACT_RESIDUAL_BYTES);
  const bool computed = rounded && collector;
  const int64_t residual = facts[FACT_COLLECTOR_BYTES] -
                           facts[FACT_ROUNDED_BYTES] -
                           facts[FACT_COLLECTOR_RECORD_BYTES];
  const struct {
    bool shown;
    int64_t value;
    const char *meaning;
  } rows[] = {
      {report_knows_allocs(view), (int64_t)profile->total[MEASURE_ALLOCS],
       "allocations counted"},
      {true, (int64_t)all, "bytes requested by them"},
      {over, facts[FACT_UNATTRIBUTED_ALLOCATIONS],
       "allocations over the context budget"},
      {over, facts[FACT_UNATTRIBUTED_BYTES],
       "bytes over the context budget; their callers include them"},
      {malloced, facts[FACT_MALLOC_BYTES],
       "bytes of these from malloc, which the collector does not count"},
      {rounded, facts[FACT_ROUNDED_BYTES],
       malloced ? "bytes of the others, as rounded up by the collector"
                : "bytes as rounded up by the collector"},
      {records, facts[FACT_COLLECTOR_RECORD_BYTES],
       "bytes of the collector's own records for finalizers, weak links and "
       "threads"},
      {collector, facts[FACT_COLLECTOR_BYTES],
       "bytes that the collector itself counted in the same period"},
      {computed, residual,
       records ? "residual: the last of these less the two before it"
               : "residual: the difference between these two"},
      {stated && !computed, facts[FACT_RESIDUAL_BYTES], "residual"},
      {stated && computed && facts[FACT_RESIDUAL_BYTES] != residual,
       facts[FACT_RESIDUAL_BYTES],
       "residual as the monitor stated it, which differs"},
      {profile_knows(profile, FACT_CUT_ALLOCATIONS),
       facts[FACT_CUT_ALLOCATIONS],
       "allocations whose chains lack the outermost callers"},
      {facts[FACT_DIFFERING_WALKS] != 0, facts[FACT_DIFFERING_WALKS],
       "stack walks that disagree with a recorded frame: please report this"},
      {true, (int64_t)selection->nameless_leaf_bytes,
       with_share("bytes allocated by unnamed code, charged to no function",
                  selection->nameless_leaf_bytes, all)},
      {true, (int64_t)selection->nameless_chain_bytes,
       with_share("bytes with unnamed code on their chain",
                  selection->nameless_chain_bytes, all)},
  };
  struct text_table table;
  text_table_init(&table, columns, 2);
  table.human = view->options->width >= WIDE_LINE;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].shown) {
      text_table_cell(&table, "%" PRId64, rows[i].value);
      text_table_cell(&table, "%s", rows[i].meaning);
    }
  text_table_print_rows(&table, sink);
}

void
report_reconciliation(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  report_heading(sink, "RECONCILIATION");
  write_rows(view, sink);
  if (!profile_knows(profile, FACT_COLLECTOR_BYTES) &&
      profile->language != LANGUAGE_C)
    sink_text(sink,
              "The profile does not record what the collector counted.\n");
  if (profile_comment(profile, PPROF_COMMENT_RESIDUAL_NOTE) != NULL) {
    sink_text(sink, "\nThe residual consists of:\n");
    (void)write_notes(view, sink, NULL, PPROF_COMMENT_RESIDUAL_NOTE);
  }
}
