/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frame around the tables: what comes first, which tables are printed,
 * headings and legends.  After the totals, a profile of another
 * program has a line for each gap.
 *
 * Lines are broken at blanks; a word that is longer than a line stays whole.
 */

#include "tables/report.h"

#include "analysis/frames.h"
#include "common/pprof_format.h"
#include "common/region_path.h"
#include "tables/output.h"
#include "tables/scratch.h"
#include "tables/table.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_WIDTH = 78, TERM_WIDTH = 15 };

void
report_heading(struct sink *sink, const char *title)
{
  sink_text(sink, "\n");
  sink_style(sink, STYLE_STRONG);
  sink_text(sink, title);
  sink_style(sink, STYLE_PLAIN);
  sink_text(sink, "\n\n");
}

/* Writes TEXT in lines of at most LINE_WIDTH, or the width of the terminal,
 * INDENT blanks before each line but the first, which starts at INDENT
 * already. */
static void
write_wrapped(struct sink *sink, const char *text, size_t indent)
{
  size_t column = indent;
  size_t width = sink->line_width > 0 && sink->line_width < LINE_WIDTH
                     ? sink->line_width
                     : LINE_WIDTH;
  while (*text != '\0') {
    size_t length = strcspn(text, " ");
    if (column > indent && column + 1 + length > width) {
      sink_text(sink, "\n");
      sink_repeat(sink, ' ', indent);
      column = indent;
    } else if (column > indent) {
      sink_text(sink, " ");
      column++;
    }
    sink_bytes(sink, text, length);
    column += length;
    text += length;
    text += *text == ' ';
  }
  sink_text(sink, "\n");
}

void
report_indented(struct sink *sink, const char *text, size_t indent)
{
  sink_repeat(sink, ' ', indent);
  write_wrapped(sink, text, indent);
}

void
report_paragraph(struct sink *sink, const char *text)
{
  sink_text(sink, "\n");
  report_indented(sink, text, 2);
}

void
report_legend(const struct view *view, struct sink *sink, const char *term,
              const char *text)
{
  if (view != NULL && !view->options->legend)
    return;
  sink_format(sink, "  %-12s ", term);
  write_wrapped(sink, text, TERM_WIDTH);
}

void
report_legend_text(const struct view *view, struct sink *sink,
                   const char *text)
{
  if (view != NULL && !view->options->legend)
    return;
  sink_text(sink, "\n");
  report_indented(sink, text, view == NULL ? 0 : 2);
}

bool
report_knows_allocs(const struct view *view)
{
  return view->profile->gaps.countless == 0;
}

const char *
report_count(uint64_t count, const char *noun)
{
  return pool_format("%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* Returns a text of ALLOCS, if the profile of VIEW counts them, and BYTES. */
static const char *
allocated(const struct view *view, uint64_t allocs, uint64_t bytes)
{
  const char *text = report_count(bytes, "byte");
  return !report_knows_allocs(view)
             ? text
             : pool_format("%s, %s", report_count(allocs, "allocation"),
                           text);
}

void
report_counted(const struct view *view, struct sink *sink)
{
  const struct measure_row *row =
      measure_row(view->profile, view_counted(view));
  if (row->what != NULL)
    sink_format(sink,
                "All tables count only memory that was %s (--value=%s)%s\n",
                row->what, row->word,
                view_is_of_holders(view) ? "" : "; calls include all calls");
  if (view->options->select.at != 0)
    sink_format(sink,
                "All tables count only memory in use at the end of the slice "
                "with %g s (--at)\n",
                (double)view->options->select.at / 1e9);
}

/* Ends a line that holds of FILES: says so unless these are all. */
static void
end_line(const struct profile *profile, size_t files, struct sink *sink)
{
  if (files < profile->file_count)
    sink_format(sink, " (%zu of %zu files)", files, profile->file_count);
  sink_text(sink, "\n");
}

void
report_live(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  size_t files = profile->fact_files[FACT_LIVE_COLLECTION];
  int64_t collection = profile->facts[FACT_LIVE_COLLECTION];
  if (profile->language != LANGUAGE_LISP)
    return;
  if (files > 0 && collection == 0) {
    sink_text(sink, "No collection took place: live objects are unknown");
    end_line(profile, files, sink);
    return;
  }
  if (!measure_known(profile, MEASURE_KEPT_BYTES))
    return;
  if (profile->file_count > 1)
    sink_text(sink, "Alive at the last collection of each file: ");
  else if (files == 0)
    sink_text(sink, "Alive at the last collection: ");
  else
    sink_format(sink, "Alive as of collection %" PRId64 ": ", collection);
  sink_format(sink, "%s, %s",
              report_count(profile->total[MEASURE_KEPT_ALLOCS], "object"),
              report_count(profile->total[MEASURE_KEPT_BYTES], "byte"));
  end_line(profile, files == 0 ? profile->file_count : files, sink);
}

/* Writes a line on what a C program had lost at its end, if that was sought.
 */
static void
write_lost(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  const uint64_t *total = profile->total;
  const char *unfound = profile_comment(profile, PPROF_COMMENT_UNFOUND_NOTE);
  uint64_t lost = total[MEASURE_LOST_BYTES];
  uint64_t lost_allocs = total[MEASURE_LOST_ALLOCS];
  uint64_t indirect = total[COLUMN_OF_INDIRECT_BYTES];
  uint64_t indirect_allocs = total[COLUMN_OF_INDIRECT_ALLOCS];
  if (!profile_has(profile, MEASURE_LOST_BYTES))
    return;
  sink_format(
      sink,
      "Lost: %s in %s directly, and %s in %" PRIu64
      " indirectly; still reachable: %s in %" PRIu64 "\n",
      report_count(lost, "byte"), report_count(lost_allocs, "object"),
      report_count(indirect, "byte"), indirect_allocs,
      report_count(total[MEASURE_KEPT_BYTES] - lost - indirect, "byte"),
      total[MEASURE_KEPT_ALLOCS] - lost_allocs - indirect_allocs);
  if (unfound != NULL) {
    sink_text(sink, "Objects that were not found, and count as reachable: ");
    escape_name(sink, unfound, "");
    sink_text(sink, "\n");
  }
}

/* Writes a line on the objects that pools of the program gave out. */
static void
write_pools(const struct view *view, struct sink *sink)
{
  const struct region_figures *regions = &view->regions;
  uint64_t allocs = 0, bytes = 0;
  for (size_t i = 0; i < regions->count; i++)
    if (region_path_is_pool(regions->rows[i].path)) {
      allocs += regions->rows[i].figures.allocs;
      bytes += regions->rows[i].figures.bytes;
    }
  if (allocs != 0)
    sink_format(sink,
                "In pools: %s; the blocks that they take are counted as "
                "well\n",
                allocated(view, allocs, bytes));
}

void
report_gaps(const struct profile *profile, struct sink *sink)
{
  const struct profile_gaps *gaps = &profile->gaps;
  const struct {
    size_t files;
    const char *text;
  } lacks[] = {
      {gaps->live, "The profile has only memory that was live when it was "
                   "written; freed memory is\nnot in it"},
      {gaps->countless, "The profile does not count objects: their numbers "
                        "and sizes are blank"},
      {gaps->apart, "More is live than was allocated, as in a difference of "
                    "profiles: frees are blank"},
      {gaps->changes,
       "Live figures are negative, as in a difference of two profiles; "
       "they are left out"},
  };
  for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++)
    if (lacks[i].files > 0) {
      sink_text(sink, lacks[i].text);
      end_line(profile, lacks[i].files, sink);
    }
  if (gaps->sampled > 0)
    sink_format(sink,
                "Sampled, one allocation in about %" PRId64
                " bytes: figures are estimates\n",
                gaps->period);
}

/* Writes how many functions, cycles and contexts the view has. */
static void
write_counts(const struct view *view, struct sink *sink)
{
  const struct call_graph *graph = &view->graph;
  sink_format(sink, ", %zu %s", graph->node_count,
              granularity_noun(view->options->by, graph->node_count != 1));
  if (graph->cycle_count > 0)
    sink_format(sink, ", %s", report_count(graph->cycle_count, "cycle"));
  sink_format(sink, ", %s", report_count(graph->context_count, "context"));
}

bool
report_summary(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  const struct selection *selection = &view->selection;
  enum granularity by = view->options->by;
  const char *program = profile_comment(profile, PPROF_COMMENT_PROGRAM);
  if (profile->sample_count == 0) {
    sink_text(sink, "Nothing was allocated while mprof counted: count a part "
                    "of the program that\nallocates.\n");
    return false;
  }
  sink_text(sink, "Allocation profile");
  if (program != NULL) {
    sink_text(sink, " of ");
    escape_name(sink, program, "");
  }
  if (profile->file_count > 1)
    sink_format(sink, ", %zu files", profile->file_count);
  sink_text(sink, "\n");
  sink_text(sink, allocated(view, profile->total[MEASURE_ALLOCS],
                            profile->total[MEASURE_BYTES]));
  if (!selection->narrowed)
    write_counts(view, sink);
  if (profile_knows(profile, FACT_THREADS))
    sink_format(
        sink, ", %s",
        report_count((uint64_t)profile->facts[FACT_THREADS], "thread"));
  sink_text(sink, "\n");
  if (selection->narrowed) {
    sink_format(
        sink, "Selected by the options: %s",
        allocated(view, selection->total.allocs, selection->total.bytes));
    write_counts(view, sink);
    sink_text(sink, "\nPercentages refer to what is selected\n");
  }
  write_pools(view, sink);
  report_live(view, sink);
  write_lost(view, sink);
  report_counted(view, sink);
  if (by != BY_FUNCTION)
    sink_format(
        sink,
        "Rows are %s, not functions; calls within one row are not counted\n",
        granularity_noun(by, true));
  for (enum expression e = 0; e < EXPRESSIONS_ON_FUNCTIONS; e++)
    if ((selection->unmatched >> e & 1) != 0) { /* nobody wants it so */
      sink_format(sink, "No function matches --%s=", expression_option(e));
      escape_name(sink, view->options->select.expressions[e], "");
      sink_format(sink, "%s\n", selection_nearest(selection, e));
    }
  report_gaps(profile, sink);
  return true;
}

void
report_write(const struct view *view, struct sink *sink)
{
  const struct view_options *options = view->options;
  const struct output *table = report_tables;
  report_unattributed(view, sink);
  if (!report_summary(view, sink))
    return;
  for (size_t i = 0; table->name != NULL; i++, table++) {
    if ((table->when == WHEN_LEAKS && options->leaks == LEAKS_OFF) ||
        (options->tables == 0 ? !output_shown(table, view)
                              : (options->tables >> i & 1) == 0))
      continue;
    struct scratch *scratch = scratch_begin();
    if (table->table != NULL)
      text_report_write(table->table, view, sink);
    else
      table->emit(view, sink);
    scratch_end(scratch);
  }
}
