/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY LEAKS: what was never freed, by the last callers.  Samples are
 * grouped by the text of that partial path, so that with -offsets two call
 * sites in one function are two rows.  By kept bytes unless another order is
 * asked for; paths whose objects were all freed are left out.
 *
 * If the profile has figures of lost memory, direct and indirect, these
 * replace kept memory in all orders and shares, and other columns show.  A
 * list is lost with its head, which may be small.
 *
 * The page has the same rows, by function and by line: bytes and objects that
 * were kept, or lost.
 */

#include "base/array.h"
#include "tables/report.h"
#include "tables/table.h"

#include <inttypes.h>
#include <string.h>

static const struct column columns[] = {
    {FIGURE(KEPT_BYTES), .keys = {"bytes"}, .share = true,
     HEADING(0, NULL, "kept"), .use = USE_NOT_LOST,
     .meaning = "bytes never freed, and their share of all such bytes"},
    {FIGURE(KEPT_BYTES), .share = true, HEADING(0, NULL, "lost"),
     .use = USE_LOST,
     .meaning = "bytes never freed that the program could not free any more, "
                "lost directly or indirectly, and their share of all such "
                "bytes"},
    {FIGURE(KEPT_ALLOCS), .keys = {"objects"}, HEADING(2, NULL, "objects"),
     .use = USE_LOST, .meaning = "number of these objects"},
    {FIGURE(LOST_BYTES), HEADING(2, NULL, "direct"), .spare = 1,
     .use = USE_LOST,
     .meaning = "those lost directly: no other lost object refers to them"},
    {FIGURE(LOST_ALLOCS), HEADING(2, NULL, "objects"), .spare = 1,
     .use = USE_LOST},
    {FIGURE(HELD_BYTES), HEADING(2, NULL, "reachable"), .spare = 2,
     .use = USE_LOST,
     .meaning = "bytes never freed that the program could still free"},
    {FIGURE(HELD_ALLOCS), HEADING(2, NULL, "objects"), .spare = 2,
     .use = USE_LOST},
    {FIGURE(ALLOCS), .keys = {"allocations"}, HEADING(2, NULL, "allocs"),
     .meaning = "allocations along this path"},
    {FIGURE(BYTES), HEADING(2, NULL, "bytes"), .share = true,
     .use = USE_NOT_LOST,
     .meaning = "their bytes, and their share of all bytes"},
    {FIGURE(ALLOCS), .of = OF_FREED, HEADING(2, NULL, "frees"), .spare = 1,
     .use = USE_NOT_LOST, .meaning = "number of these that were freed"},
    {FIGURE(BYTES), .of = OF_FREED, .share = true, HEADING(2, NULL, "bytes"),
     .spare = 1, .use = USE_NOT_LOST,
     .meaning = "bytes freed, and their share of all bytes freed"},
    {CONTENT(NAME), .keys = {"path"}, LEFT_HEADING(2, "path"),
     .meaning = "the last callers, outermost first (five; see --callers); "
                "\"...\" stands for more"},
};

/* In these figures what is reachable counts as held, not as kept. */
struct leaks {
  struct call_tree tree; /* by frames */
  struct names names;    /* of the partial paths */
  struct figures *paths; /* by name */
  size_t count, capacity;
  struct figures all;        /* what is not suppressed */
  uint32_t *items;           /* room for those of a path, the leaf first */
  struct figures suppressed; /* what no path has: it is kept, and no leak */
  const char *separator;     /* of callers */
};

/* Writes the name of ITEM, with the call site as an offset if that is asked
 * for. */
static void
write_frame(const struct view *view, const struct call_item *item,
            struct sink *sink)
{
  const struct view_options *options = view->options;
  sink_text(sink, item->name);
  if (!options->offsets || options->by != BY_FUNCTION ||
      item->function == INDEX_NONE)
    return;
  const struct function *function = &view->frames.functions[item->function];
  if (item->line > 0 && function->start_line > 0 &&
      !call_item_is_elsewhere(&view->frames, item))
    sink_format(sink, "+%" PRId64, item->line - function->start_line);
  else if (item->address != 0)
    sink_format(sink, "+%" PRIu64, item->address - function->low_address);
}

/* Returns the number of the path to NODE: its last callers with what was
 * inlined into them, outermost first. */
static uint32_t
path_to(const struct listing *listing, uint32_t node)
{
  struct leaks *leaks = listing->context;
  const struct tree_node *nodes = leaks->tree.tree.nodes;
  struct sink *sink = &listing->text->sink;
  size_t most = listing->view->options->callers;
  size_t count = 0;
  for (size_t calls = 0; node != TREE_ROOT && calls < most;
       node = nodes[node].parent) {
    leaks->items[count++] = nodes[node].item;
    calls += !leaks->tree.items[nodes[node].item].inlined;
  }
  string_sink_clear(listing->text);
  if (node != TREE_ROOT)
    sink_format(sink, "...%s", leaks->separator);
  while (count > 0) {
    write_frame(listing->view, &leaks->tree.items[leaks->items[--count]],
                sink);
    sink_text(sink, count > 0 ? leaks->separator : "");
  }
  return names_intern(&leaks->names, string_sink_text(listing->text));
}

/* Adds what counts of sample I, whose chain ends at NODE, to its path, or to
 * what is suppressed. */
static void
add_sample(const struct listing *listing, size_t i, uint32_t node)
{
  const struct view *view = listing->view;
  const struct profile *profile = view->profile;
  struct leaks *leaks = listing->context;
  const uint32_t path = path_to(listing, node);
  struct sample_count count;
  selection_count(&view->selection, i, &count);
  struct figures figures = figures_of(profile, &count);
  while (leaks->count <= path)
    ARRAY_PUSH(leaks->paths, leaks->count, leaks->capacity,
               (struct figures){0});
  if (view->suppressed != NULL &&
      view->suppressed[profile->samples[i].node]) {
    figures_add(&leaks->suppressed, &figures);
    return;
  }
  if (profile_has(profile, MEASURE_LOST_BYTES)) {
    figures.held_bytes = profile_value(profile, i, MEASURE_KEPT_BYTES) -
                         profile_value(profile, i, MEASURE_LOST_BYTES) -
                         profile_value(profile, i, COLUMN_OF_INDIRECT_BYTES);
    figures.held_allocs =
        profile_value(profile, i, MEASURE_KEPT_ALLOCS) -
        profile_value(profile, i, MEASURE_LOST_ALLOCS) -
        profile_value(profile, i, COLUMN_OF_INDIRECT_ALLOCS);
    figures.kept_bytes -= figures.held_bytes;
    figures.kept_allocs -= figures.held_allocs;
    leaks->all.held_bytes += figures.held_bytes;
    leaks->all.held_allocs += figures.held_allocs;
  }
  figures_add(&leaks->paths[path], &figures);
}

static void
init(struct listing *listing)
{
  const struct view *view = listing->view;
  const struct profile *profile = view->profile;
  struct leaks *leaks = listing->context;
  const struct figures *suppressed = &leaks->suppressed;
  struct figures *all = &leaks->all;
  names_init(&leaks->names);
  call_tree_by_frames(&leaks->tree, &view->tree, false);
  leaks->separator = ">";
  for (size_t i = 0; i < leaks->tree.item_count; i++)
    if (strstr(leaks->tree.items[i].name, "::") != NULL &&
        profile->language == LANGUAGE_C)
      leaks->separator = " > "; /* names of C++ have such brackets */
  leaks->items = pool_zeroed(leaks->tree.tree.count, sizeof *leaks->items);
  if (profile_has(profile, MEASURE_LOST_BYTES))
    listing->ranking.noun = "bytes lost";
  *all = view->selection.total;
  all->held_bytes = all->held_allocs = 0;
  for (size_t i = 0; i < profile->sample_count; i++)
    if (leaks->tree.of_sample[i] != INDEX_NONE)
      add_sample(listing, i, leaks->tree.of_sample[i]);
  all->bytes -= suppressed->kept_bytes;
  all->allocs -= suppressed->kept_allocs;
  all->kept_bytes -= suppressed->kept_bytes + all->held_bytes;
  all->kept_allocs -= suppressed->kept_allocs + all->held_allocs;
  all->lost_bytes -= suppressed->lost_bytes;
  all->lost_allocs -= suppressed->lost_allocs;
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct leaks *leaks = listing->context;
  if (item == leaks->count)
    return false;
  row->figures = &leaks->paths[item];
  row->name = leaks->names.texts[item];
  row->left_out = (row->figures->kept_bytes | row->figures->kept_allocs |
                   row->figures->held_allocs) == 0;
  return true;
}

static const struct figures *
total(const struct listing *listing)
{
  return &((const struct leaks *)listing->context)->all;
}

static void
note(const struct listing *listing, struct sink *sink)
{
  const struct figures *suppressed =
      &((const struct leaks *)listing->context)->suppressed;
  if (suppressed->kept_allocs != 0)
    report_paragraph(
        sink, pool_format("Suppressed: %" PRIu64
                          " bytes in %s; --suppressions=none shows them.",
                          suppressed->kept_bytes,
                          report_count(suppressed->kept_allocs, "object")));
}

static void
legend(const struct listing *listing, struct sink *sink)
{
  const struct view *view = listing->view;
  if (view != NULL && view->options->offsets)
    report_legend(view, sink, "name+n",
                  "the call site: lines from the start of the function or, "
                  "if lines are not known, bytes from its first call site");
}

static const char *
lacks(const struct view *view)
{
  return column_used(view, USE_KEPT) ? NULL
         : column_used(view, USE_LIVE)
             ? "This profile does not record what was freed; --value=live "
               "shows what is alive."
             : "This profile does not record what was freed.";
}

const struct table leaks_table = {
    .title = "MEMORY LEAKS",
    .rows = "paths",
    .sort = SORT_KEPT,
    COLUMNS(columns),
    .row = row,
    .lacks = lacks,
    .context_bytes = sizeof(struct leaks),
    .init = init,
    .total = total,
    .note = note,
    .legend = legend,
};
