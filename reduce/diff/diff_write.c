/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A comparison as text: what is compared, the totals, the tables that are
 * asked for, and what their columns mean.
 */

#include "diff/diff.h"

#include "analysis/grouping.h"
#include "common/pprof_format.h"
#include "tables/report.h"
#include "tables/text_report.h"

const struct diff_output diff_tables[] = {
    {"functions", "by what each function itself allocated"},
    {"inclusive", "by what each function and all below it allocated"},
    {"types", "by type"},
    {"contexts", "by context: the chain of functions that allocated"},
    {NULL, NULL},
};

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
  const struct diff_figures *old = &diff->totals[DIFF_OLD];
  const struct diff_figures *new = &diff->totals[DIFF_NEW];
  sink_text(sink, "Allocation profiles compared\n");
  for (int side = 0; side < DIFF_SIDES; side++)
    write_side(diff, (enum diff_side)side, sink);
  if (diff->sides[DIFF_OLD].selection.narrowed ||
      diff->sides[DIFF_NEW].selection.narrowed)
    sink_text(sink, "Selected by the options: all figures are of what is "
                    "left.\n");
  report_counted(&diff->sides[DIFF_NEW], sink);
  diff_table_write(diff, DIFF_TOTALS, sink);
  if (diff->limits->normalize)
    sink_format(sink,
                "\nBelow, old bytes are multiplied by %llu/%llu, and "
                "allocations and calls\nlikewise, so that the totals are "
                "equal.\n",
                (unsigned long long)new->counts[MEASURE_BYTES],
                (unsigned long long)old->counts[MEASURE_BYTES]);
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    if (wants_table(diff, (enum diff_kind)kind))
      diff_table_write(diff, (enum diff_kind)kind, sink);
  diff_tables_explain(diff, sink);
}
