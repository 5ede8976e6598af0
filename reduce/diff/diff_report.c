/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A comparison as text: what is compared, its tables, and their legend. */

#include "diff/diff.h"

#include "base/quote.h"
#include "common/pprof_format.h"
#include "tables/report.h"

#include <inttypes.h>

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
