/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY LEAKS: what was never freed, by the last callers.  Samples are
 * grouped by the text of that partial path, so that with -offsets two call
 * sites in one function are two rows.  By kept bytes unless another order is
 * asked for; paths of which everything was freed are no rows.
 */

#include "base/array.h"
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
  struct call_tree tree; /* by frames */
  struct names paths;
  struct figures *figures; /* by path */
  size_t capacity;
  uint32_t *path; /* in hand: items, the leaf first */
  size_t path_capacity;
};

static void
write_frame(const struct leaks *leaks, const struct call_item *item,
            struct sink *sink)
{
  const struct frame_table *frames = &leaks->reduction->frames;
  const struct options *options = leaks->reduction->options;
  sink_text(sink, item->name);
  if (options->by != BY_FUNCTION || item->function == INDEX_NONE)
    return;
  const struct function *function = &frames->functions[item->function];
  const char *file = function_file(frames, item->function);
  const char *slash = strrchr(file, '/');
  if (options->offsets && item->line > 0 && function->start_line > 0)
    sink_format(sink, "+%" PRId64, item->line - function->start_line);
  else if (options->offsets && item->address != 0)
    sink_format(sink, "+%" PRIu64, item->address - function->low_address);
  if (options->lines && item->line > 0 && *file != '\0')
    sink_format(sink, " (%s:%" PRId64 ")", slash == NULL ? file : slash + 1,
                item->line);
}

/* Writes the last callers on the chain of NODE, outermost first. */
static void
write_path(struct leaks *leaks, uint32_t node, struct sink *sink)
{
  const struct tree_node *nodes = leaks->tree.tree.nodes;
  size_t most = leaks->reduction->options->callers;
  size_t count = 0;
  for (; node != TREE_ROOT && count < most; node = nodes[node].parent) {
    uint32_t *path = array_reserve(leaks->path, &leaks->path_capacity,
                                   count + 1, sizeof *path);
    if (path == NULL) {
      sink_fail(sink, ENOMEM);
      return;
    }
    leaks->path = path;
    path[count++] = nodes[node].item;
  }
  if (node != TREE_ROOT)
    sink_text(sink, "...>");
  while (count > 0) {
    write_frame(leaks, &leaks->tree.items[leaks->path[--count]], sink);
    sink_text(sink, count > 0 ? ">" : "");
  }
}

/* Adds what sample I, whose chain is that of NODE, counts. */
static bool
add_sample(struct leaks *leaks, size_t i, uint32_t node)
{
  const struct reduction *reduction = leaks->reduction;
  struct sink_string text = {0};
  struct sink sink;
  struct sample_count count;
  sink_init(&sink, sink_write_string, &text);
  write_path(leaks, node, &sink);
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
  selection_count(&reduction->selection, i, &count);
  struct figures added = figures_of(reduction->profile, &count);
  figures_add(&figures[path], &added);
  return true;
}

static bool
collect(struct leaks *leaks)
{
  const struct profile *profile = leaks->reduction->profile;
  if (!names_init(&leaks->paths) ||
      !call_tree_init(&leaks->tree, &leaks->reduction->selection,
                      ITEMS_ARE_FRAMES, leaks->reduction->tree.merges_runs))
    return false;
  for (size_t i = 0; i < profile->sample_count; i++)
    if (leaks->tree.of_sample[i] != INDEX_NONE &&
        !add_sample(leaks, i, leaks->tree.of_sample[i]))
      return false;
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
  report_number(table, reduction->profile->gaps.live == 0, freed_bytes);
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
  call_tree_release(&leaks.tree);
  free(leaks.figures);
  free(leaks.path);
}
