/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY LEAKS: what was never freed, by the last callers.  Samples are
 * grouped by the text of that partial path, so that with -offsets two call
 * sites in one function are two rows.  By kept bytes unless another order is
 * asked for; paths of which everything was freed are no rows.
 */

#include "base/array.h"
#include "tables/report.h"
#include "tables/table.h"
#include "tables/text_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct column columns[] = {
    {FIGURE(KEPT_BYTES), .share = true, HEADING(0, NULL, "kept"),
     .meaning = "bytes never freed, and the share of all such bytes"},
    {FIGURE(ALLOCS), HEADING(2, NULL, "allocs"),
     .meaning = "allocations along this path"},
    BYTES_COLUMN("their bytes, and the share of all bytes"),
    {FIGURE(ALLOCS), .of = OF_FREED, HEADING(2, NULL, "frees"),
     .meaning = "how many of them were freed"},
    {FIGURE(BYTES), .of = OF_FREED, .share = true, HEADING(2, NULL, "bytes"),
     .meaning = "the bytes freed, and the share of all bytes freed"},
    {.content = CONTENT_NAME, LEFT_HEADING(2, "path"),
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
  struct string_sink *text; /* of the path in hand; not owned */
};

static void
write_frame(const struct leaks *leaks, const struct call_item *item,
            struct sink *sink)
{
  const struct frame_table *frames = &leaks->reduction->frames;
  const struct view_options *options = leaks->reduction->options;
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
  struct sample_count count;
  string_sink_clear(leaks->text);
  write_path(leaks, node, &leaks->text->sink);
  const char *text = string_sink_text(leaks->text);
  uint32_t path =
      text == NULL ? NAMES_NONE : names_intern(&leaks->paths, text);
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
init(struct view *view)
{
  const struct reduction *reduction = view->reduction;
  struct leaks *leaks = view->context;
  leaks->reduction = reduction;
  leaks->text = view->text;
  if (!names_init(&leaks->paths) ||
      !call_tree_init(&leaks->tree, &reduction->selection, ITEMS_ARE_FRAMES,
                      reduction->tree.merges_runs))
    return false;
  for (size_t i = 0; i < reduction->profile->sample_count; i++)
    if (leaks->tree.of_sample[i] != INDEX_NONE &&
        !add_sample(leaks, i, leaks->tree.of_sample[i]))
      return false;
  return true;
}

static void
release(void *context)
{
  struct leaks *leaks = context;
  names_release(&leaks->paths);
  call_tree_release(&leaks->tree);
  free(leaks->figures);
  free(leaks->path);
}

static size_t
count(const struct view *view)
{
  const struct leaks *leaks = view->context;
  return leaks->figures == NULL ? 0 : leaks->paths.count;
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct leaks *leaks = view->context;
  row->figures = &leaks->figures[item];
  row->name = leaks->paths.texts[item];
  return row->figures->kept_bytes != 0 || row->figures->kept_allocs != 0;
}

static void
legend(const struct view *view, struct sink *sink)
{
  const struct reduction *reduction = view->reduction;
  if (reduction->options->lines)
    report_legend(reduction, sink, "(file:line)",
                  "the call site, where lines are known");
  if (reduction->options->offsets)
    report_legend(reduction, sink, "name+n",
                  "the call site: lines from the start of the function, or "
                  "bytes from its first call site where lines are not known");
}

static const char *
lacks(const struct reduction *reduction)
{
  return column_used(reduction, USE_KEPT)
             ? NULL
             : "This profile does not say what was freed.";
}

const struct table leaks_table = {
    .title = "MEMORY LEAKS",
    .rows = "paths",
    .sort = SORT_KEPT,
    .keeps_empty = true,
    COLUMNS(columns),
    .count = count,
    .row = row,
    .lacks = lacks,
    .context_bytes = sizeof(struct leaks),
    .init = init,
    .release = release,
    .legend = legend,
};
