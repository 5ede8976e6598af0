/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY LEAKS: what was never freed, by the last callers.  Samples are
 * grouped by the text of that partial path, so that with -offsets two call
 * sites in one function are two rows.  By kept bytes unless another order is
 * asked for; paths of which everything was freed are no rows.
 */

#include "profile/array.h"
#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct report_column columns[] = {
    {{NULL, 0, "kept", 0, false},
     .term = "kept %",
     .meaning = "bytes never freed, and the share of all such bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs",
     .meaning = "allocations along this path"},
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "their bytes, and the share of all bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "frees", 2, false},
     .term = "frees",
     .meaning = "how many of them were freed"},
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "the bytes freed, and the share of all bytes freed"},
    SHARE_COLUMN,
    {{NULL, 0, "path", 2, true},
     .term = "path",
     .meaning = "the last callers, five unless --callers says otherwise, "
                "outermost first; \"...\" when there are more"},
};

/* The partial paths seen so far, with what was allocated below each. */
struct leaks {
  const struct reduction *reduction;
  struct names paths;
  struct figures *figures; /* by path */
  size_t capacity;
};

static void
write_frame(const struct leaks *leaks, uint32_t frame, struct sink *sink)
{
  const struct profile *profile = &leaks->reduction->profile;
  const struct profile_frame *f = &profile->frames[frame];
  const struct profile_function *function = &profile->functions[f->function];
  const struct options *options = leaks->reduction->options;
  const char *file = names_text(&profile->names, function->file);
  const char *slash = strrchr(file, '/');
  sink_text(sink, names_text(&profile->names, function->name));
  if (options->by != BY_FUNCTION)
    return;
  if (options->offsets && f->line > 0 && function->start_line > 0)
    sink_format(sink, "+%" PRId64, f->line - function->start_line);
  else if (options->offsets && f->address != 0)
    sink_format(sink, "+%" PRIu64, f->address - function->low_address);
  if (options->lines && f->line > 0 && *file != '\0')
    sink_format(sink, " (%s:%" PRId64 ")", slash == NULL ? file : slash + 1,
                f->line);
}

/* Writes the last callers of SAMPLE, outermost first. */
static void
write_path(const struct leaks *leaks, const struct profile_sample *sample,
           struct sink *sink)
{
  const struct selection *selection = &leaks->reduction->selection;
  const struct profile *profile = &leaks->reduction->profile;
  size_t most = leaks->reduction->options->callers;
  size_t count = 0; /* frames that show, up to and with FIRST */
  size_t first = 0;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  bool more = false;
  for (size_t i = 0; i < length && !more; i++) {
    if (selection->hidden[profile->frames[chain[i]].function])
      continue;
    more = count == most;
    if (!more) {
      count++;
      first = i;
    }
  }
  if (more)
    sink_text(sink, "...>");
  if (count == 0)
    sink_text(sink, nameless_name(selection_nameless(selection, sample)));
  for (size_t i = first + 1; count > 0 && i-- > 0;) {
    if (selection->hidden[profile->frames[chain[i]].function])
      continue;
    write_frame(leaks, chain[i], sink);
    sink_text(sink, --count > 0 ? ">" : "");
  }
}

static bool
add_sample(struct leaks *leaks, const struct profile_sample *sample)
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  write_path(leaks, sample, &sink);
  uint32_t path =
      sink_flush(&sink)
          ? names_intern(&leaks->paths, text.text == NULL ? "" : text.text)
          : NAMES_NONE;
  free(text.text);
  if (path == NAMES_NONE)
    return false;
  size_t before = leaks->capacity;
  struct figures *figures = array_reserve(
      leaks->figures, &leaks->capacity, leaks->paths.count, sizeof *figures);
  if (figures == NULL)
    return false;
  if (leaks->capacity > before)
    memset(figures + before, 0, (leaks->capacity - before) * sizeof *figures);
  leaks->figures = figures;
  struct figures added = figures_of_sample(
      sample, &leaks->reduction->profile.types[sample->type]);
  figures_add(&figures[path], &added);
  return true;
}

static bool
collect(struct leaks *leaks)
{
  const struct profile *profile = &leaks->reduction->profile;
  if (!names_init(&leaks->paths))
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    if (leaks->reduction->selection.kept[i] &&
        (sample->allocs != 0 || sample->bytes != 0) &&
        !add_sample(leaks, sample))
      return false;
  }
  return true;
}

static bool
rank_paths(const struct leaks *leaks, struct ranking *ranking)
{
  const struct options *options = leaks->reduction->options;
  for (size_t i = 0; i < leaks->paths.count && i < leaks->capacity; i++) {
    const struct figures *figures = &leaks->figures[i];
    if ((figures->kept_bytes != 0 || figures->kept_allocs != 0) &&
        !ranking_add(ranking,
                     ranking_row_of(figures, leaks->paths.texts[i], i)))
      return false;
  }
  ranking_sort(ranking,
               options->sort == SORT_DEFAULT ? SORT_KEPT : options->sort);
  ranking_cut(ranking, &leaks->reduction->selection.total, options);
  return true;
}

/* CONTEXT is a struct leaks. */
static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct leaks *leaks = context;
  const struct figures *total = &reduction->selection.total;
  const struct figures *figures =
      row == NULL ? total : &leaks->figures[row->item];
  uint64_t freed_bytes = freed(figures->bytes, figures->kept_bytes);
  text_table_number(table, figures->kept_bytes);
  text_table_share(table, figures->kept_bytes, total->kept_bytes);
  report_number(table, report_knows_allocs(reduction), figures->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, total->bytes);
  report_number(table, report_knows_frees(reduction),
                freed(figures->allocs, figures->kept_allocs));
  report_number(table, reduction->profile.gaps.live == 0, freed_bytes);
  text_table_share(table, freed_bytes,
                   freed(total->bytes, total->kept_bytes));
  text_table_name(table, row == NULL ? "<TOTAL>" : row->name);
}

void
report_leaks(const struct reduction *reduction, struct sink *sink)
{
  struct leaks leaks = {.reduction = reduction};
  const struct flat_report report = {
      .title = "MEMORY LEAKS",
      .rows = "paths",
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
      .context = &leaks,
      .kept = true,
  };
  struct ranking ranking;
  if (!column_used(reduction, USE_KEPT)) {
    report_heading(sink, report.title);
    sink_text(sink, "This profile does not say what was freed.\n");
    return;
  }
  ranking_init(&ranking);
  if (!collect(&leaks) || !rank_paths(&leaks, &ranking))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  if (reduction->options->lines)
    report_legend(reduction, sink, "(file:line)",
                  "the call site, where lines are known");
  if (reduction->options->offsets)
    report_legend(reduction, sink, "name+n",
                  "the call site: lines from the start of the function, or "
                  "bytes from its first call site where lines are not known");
  ranking_release(&ranking);
  names_release(&leaks.paths);
  free(leaks.figures);
}
