/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY LEAKS: what was never freed, by the last five callers.  Samples are
 * grouped by the text of that partial path, so that with -offsets two call
 * sites in one function are two rows.  By kept bytes unless another order is
 * asked for; what was freed to the last byte is no row.
 */

#include "profile/array.h"
#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { PATH_FRAMES = 5 };

static const struct text_column columns[] = {
    {NULL, 0, "kept", 0, false},   {NULL, 0, "%", 1, false},
    {NULL, 0, "allocs", 2, false}, {NULL, 0, "bytes", 2, false},
    {NULL, 0, "%", 1, false},      {NULL, 0, "frees", 2, false},
    {NULL, 0, "bytes", 2, false},  {NULL, 0, "%", 1, false},
    {NULL, 0, "path", 2, true},
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
  sink_text(sink, names_text(&profile->names, function->name));
  if (!leaks->reduction->options->offsets ||
      leaks->reduction->options->by != BY_FUNCTION)
    return;
  if (f->line > 0 && function->start_line > 0)
    sink_format(sink, "+%" PRId64, f->line - function->start_line);
  else if (f->address != 0)
    sink_format(sink, "+%" PRIu64, f->address - function->low_address);
}

/* Writes the last callers of SAMPLE, outermost first. */
static void
write_path(const struct leaks *leaks, const struct profile_sample *sample,
           struct sink *sink)
{
  const struct selection *selection = &leaks->reduction->selection;
  const struct profile *profile = &leaks->reduction->profile;
  uint32_t last[PATH_FRAMES];
  size_t count = 0;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  bool more = false;
  for (size_t i = 0; i < length && !more; i++) {
    if (selection->hidden[profile->frames[chain[i]].function])
      continue;
    more = count == PATH_FRAMES;
    if (!more)
      last[count++] = chain[i];
  }
  if (more)
    sink_text(sink, "...>");
  if (count == 0)
    sink_text(sink, nameless_name(selection_nameless(selection, sample)));
  while (count > 0) {
    write_frame(leaks, last[--count], sink);
    sink_text(sink, count > 0 ? ">" : "");
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
  const struct figures *sum = &leaks->reduction->selection.total;
  struct figures total = {.bytes = sum->kept_bytes,
                          .allocs = sum->kept_allocs};
  for (size_t i = 0; i < leaks->paths.count && i < leaks->capacity; i++)
    if (leaks->figures[i].kept_bytes != 0 ||
        leaks->figures[i].kept_allocs != 0)
      if (!ranking_add(ranking, (struct ranking_row){
                                    .bytes = leaks->figures[i].kept_bytes,
                                    .allocs = leaks->figures[i].kept_allocs,
                                    .name = leaks->paths.texts[i],
                                    .item = i}))
        return false;
  ranking_sort(ranking,
               options->sort == SORT_DEFAULT ? SORT_BYTES : options->sort);
  ranking_cut(ranking, &total, options);
  return true;
}

static uint64_t
beyond(uint64_t all, uint64_t kept)
{
  return all > kept ? all - kept : 0;
}

static void
add_row(const struct reduction *reduction, struct text_table *table,
        const struct figures *figures, const char *path)
{
  const struct figures *total = &reduction->selection.total;
  uint64_t freed = beyond(figures->bytes, figures->kept_bytes);
  text_table_number(table, figures->kept_bytes);
  text_table_share(table, figures->kept_bytes, total->kept_bytes);
  text_table_number(table, figures->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, total->bytes);
  text_table_number(table, beyond(figures->allocs, figures->kept_allocs));
  text_table_number(table, freed);
  text_table_share(table, freed, beyond(total->bytes, total->kept_bytes));
  text_table_name(table, path);
}

static void
write_legend(const struct reduction *reduction, struct sink *sink)
{
  report_share_legend(reduction, sink);
  report_legend(reduction, sink, "kept %",
                "bytes never freed, and the share of all such bytes");
  report_legend(reduction, sink, "allocs", "allocations along this path");
  report_legend(reduction, sink, "bytes %",
                "their bytes, and the share of all bytes");
  report_legend(reduction, sink, "frees", "how many of them were freed");
  report_legend(reduction, sink, "bytes %",
                "the bytes freed, and the share of all bytes freed");
  report_legend(
      reduction, sink, "path",
      "the last five callers, outermost first; \"...\" when there are more");
  if (reduction->options->offsets)
    report_legend(reduction, sink, "name+n",
                  "the call site: lines from the start of the function, or "
                  "bytes from its first call site where lines are not known");
}

void
report_leaks(const struct reduction *reduction, struct sink *sink)
{
  struct leaks leaks = {.reduction = reduction};
  struct ranking ranking;
  struct text_table table;
  ranking_init(&ranking);
  text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
  if (!collect(&leaks) || !rank_paths(&leaks, &ranking))
    sink_fail(sink, ENOMEM);
  add_row(reduction, &table, &reduction->selection.total, "<TOTAL>");
  for (size_t i = 0; i < ranking.shown; i++) {
    text_table_weigh(&table, ranking.rows[i].bytes,
                     reduction->selection.total.kept_bytes);
    add_row(reduction, &table, &leaks.figures[ranking.rows[i].item],
            ranking.rows[i].name);
  }
  report_heading(sink, "MEMORY LEAKS");
  if (!reduction->profile.has_kept ||
      reduction->profile.language == LANGUAGE_LISP) {
    sink_text(sink, "This profile does not say what was freed.\n");
  } else {
    text_table_print(&table, sink);
    ranking_note(&ranking, reduction->options, "paths", sink);
    write_legend(reduction, sink);
  }
  text_table_release(&table);
  ranking_release(&ranking);
  names_release(&leaks.paths);
  free(leaks.figures);
}
