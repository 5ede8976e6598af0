/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a profile of another program does not say: a line for each gap, after
 * the totals.  Columns that nothing is known of stay blank, and so do calls
 * of functions that a monitor of mprof does not count.
 */

#include "tables/report_gaps.h"

#include "tables/report_text.h"

#include <inttypes.h>

bool
report_knows_allocs(const struct reduction *reduction)
{
  return reduction->profile->gaps.countless == 0;
}

bool
report_lacks_calls(const struct reduction *reduction)
{
  for (size_t i = 0; i < reduction->graph.node_count; i++)
    if (reduction->graph.nodes[i].calls == CALLS_UNKNOWN)
      return true;
  return false;
}

void
report_explain_unknown_calls(const struct reduction *reduction,
                             struct sink *sink)
{
  report_legend(reduction, sink, "blank calls",
                "unknown: of functions whose calls are not counted, such as "
                "C functions of other libraries, and in sums with these");
}

void
report_calls(struct text_table *table, uint64_t calls)
{
  if (calls == CALLS_UNKNOWN)
    text_table_skip(table, 1);
  else
    text_table_number(table, calls);
}

/* Writes TEXT, and of how many FILES of all it holds unless of all. */
static void
write_gap(const struct profile *profile, size_t files, const char *text,
          struct sink *sink)
{
  if (files == 0)
    return;
  sink_text(sink, text);
  if (files < profile->file_count)
    sink_format(sink, " (%zu of %zu files)", files, profile->file_count);
  sink_text(sink, "\n");
}

void
report_gaps(const struct profile *profile, struct sink *sink)
{
  const struct profile_gaps *gaps = &profile->gaps;
  write_gap(profile, gaps->live,
            "The figures are those of what was live when the profile was "
            "written: what had\nbeen freed is not in it",
            sink);
  write_gap(profile, gaps->countless,
            "The profile does not count objects: their numbers and sizes are "
            "left blank",
            sink);
  if (gaps->sampled > 0)
    sink_format(sink,
                "Sampled, one allocation in about %" PRId64
                " bytes: figures are estimates\n",
                gaps->period);
  write_gap(profile, gaps->unread_drop,
            "The frames that the profile itself wants to be left out are "
            "shown: which they are\ncannot be read",
            sink);
}
