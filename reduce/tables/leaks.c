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
 * The page has the same rows: bytes and objects that were kept, or lost.
 */

#include "tables/report.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum id { DIRECT_BYTES, DIRECT_ALLOCS, REACHABLE_BYTES, REACHABLE_ALLOCS };

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
    {.id = DIRECT_BYTES,
     HEADING(2, NULL, "direct"),
     .spare = 1,
     .sums = true,
     .use = USE_LOST,
     .meaning = "those lost directly: no other lost object refers to them"},
    {.id = DIRECT_ALLOCS,
     HEADING(2, NULL, "objects"),
     .spare = 1,
     .sums = true,
     .use = USE_LOST},
    {.id = REACHABLE_BYTES,
     HEADING(2, NULL, "reachable"),
     .spare = 2,
     .sums = true,
     .use = USE_LOST,
     .meaning = "bytes never freed that the program could still free"},
    {.id = REACHABLE_ALLOCS,
     HEADING(2, NULL, "objects"),
     .spare = 2,
     .sums = true,
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
    {.content = CONTENT_NAME,
     .keys = {"path"},
     LEFT_HEADING(2, "path"),
     .meaning = "the last callers, outermost first (five; see --callers); "
                "\"...\" stands for more"},
};

/* Of a path, or of all, by enum id. */
struct other_kept {
  uint64_t counts[REACHABLE_ALLOCS + 1];
};

struct leaks {
  struct call_tree tree;     /* by frames */
  struct names paths;        /* the partial paths */
  struct figures *figures;   /* by path, and one more: of all */
  struct other_kept *others; /* likewise; NULL: what was lost is not known */
  uint32_t *path;            /* room for one: items, the leaf first */
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
    leaks->path[count++] = nodes[node].item;
    calls += !leaks->tree.items[nodes[node].item].inlined;
  }
  string_sink_clear(listing->text);
  if (node != TREE_ROOT)
    sink_format(sink, "...%s", leaks->separator);
  while (count > 0) {
    write_frame(listing->view, &leaks->tree.items[leaks->path[--count]],
                sink);
    sink_text(sink, count > 0 ? leaks->separator : "");
  }
  return names_intern(&leaks->paths, string_sink_text(listing->text));
}

/* Adds what of sample I, of the path with that number, was lost directly, and
 * what was kept and not lost. */
static void
split_kept(const struct listing *listing, size_t i, uint32_t path)
{
  const struct profile *profile = listing->view->profile;
  struct leaks *leaks = listing->context;
  const uint64_t lost[] = {profile_value(profile, i, MEASURE_LOST_BYTES),
                           profile_value(profile, i, MEASURE_LOST_ALLOCS)};
  const uint64_t indirect[] = {
      profile_value(profile, i, COLUMN_OF_INDIRECT_BYTES),
      profile_value(profile, i, COLUMN_OF_INDIRECT_ALLOCS)};
  const uint64_t kept[] = {profile_value(profile, i, MEASURE_KEPT_BYTES),
                           profile_value(profile, i, MEASURE_KEPT_ALLOCS)};
  for (size_t k = 0; k < 2; k++)
    for (size_t at = path;; at = leaks->paths.count) {
      uint64_t *counts = leaks->others[at].counts;
      counts[DIRECT_BYTES + k] += lost[k];
      counts[REACHABLE_BYTES + k] += kept[k] - indirect[k] - lost[k];
      if (at == leaks->paths.count)
        break;
    }
}

/* Finishes the figures: those of all are the selection's without what is
 * suppressed and kept; and what is kept is what was lost, where that is
 * known.
 */
static void
finish_figures(struct leaks *leaks, const struct selection *selection)
{
  const struct figures *suppressed = &leaks->suppressed;
  struct figures *all = &leaks->figures[leaks->paths.count];
  *all = selection->total;
  all->bytes -= suppressed->kept_bytes;
  all->allocs -= suppressed->kept_allocs;
  all->kept_bytes -= suppressed->kept_bytes;
  all->kept_allocs -= suppressed->kept_allocs;
  for (size_t i = 0; leaks->others != NULL && i <= leaks->paths.count; i++) {
    leaks->figures[i].kept_bytes -= leaks->others[i].counts[REACHABLE_BYTES];
    leaks->figures[i].kept_allocs -=
        leaks->others[i].counts[REACHABLE_ALLOCS];
  }
}

static void
init(struct listing *listing)
{
  const struct view *view = listing->view;
  const struct profile *profile = view->profile;
  struct leaks *leaks = listing->context;
  names_init(&leaks->paths);
  call_tree_by_frames(&leaks->tree, &view->tree, false);
  uint32_t *of_sample = leaks->tree.of_sample; /* nodes, then paths */
  leaks->separator = ">";
  for (size_t i = 0; i < leaks->tree.item_count; i++)
    if (strstr(leaks->tree.items[i].name, "::") != NULL &&
        profile->language == LANGUAGE_C)
      leaks->separator = " > "; /* names of C++ have such brackets */
  leaks->path = pool_zeroed(leaks->tree.tree.count, sizeof *leaks->path);
  for (size_t i = 0; i < profile->sample_count; i++)
    if (of_sample[i] != INDEX_NONE)
      of_sample[i] = path_to(listing, of_sample[i]);
  leaks->figures =
      pool_zeroed(leaks->paths.count + 1, sizeof *leaks->figures);
  if (profile_has(profile, MEASURE_LOST_BYTES)) {
    listing->ranking.noun = "bytes lost";
    leaks->others =
        pool_zeroed(leaks->paths.count + 1, sizeof *leaks->others);
  }
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    if (of_sample[i] == INDEX_NONE)
      continue;
    selection_count(&view->selection, i, &count);
    struct figures figures = figures_of(profile, &count);
    bool suppressed = view->suppressed != NULL &&
                      view->suppressed[profile->samples[i].node];
    figures_add(suppressed ? &leaks->suppressed
                           : &leaks->figures[of_sample[i]],
                &figures);
    if (!suppressed && leaks->others != NULL)
      split_kept(listing, i, of_sample[i]);
  }
  finish_figures(leaks, &view->selection);
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct leaks *leaks = listing->context;
  if (item == leaks->paths.count)
    return false;
  row->figures = &leaks->figures[item];
  row->name = leaks->paths.texts[item];
  row->left_out = row->figures->kept_bytes == 0 &&
                  row->figures->kept_allocs == 0 &&
                  (leaks->others == NULL ||
                   leaks->others[item].counts[REACHABLE_ALLOCS] == 0);
  return true;
}

static struct cell
cell(const struct listing *listing, const struct ranking_row *row, int id)
{
  const struct leaks *leaks = listing->context;
  size_t item = row->item == (size_t)NO_ITEM ? leaks->paths.count : row->item;
  return cell_number(leaks->others[item].counts[id]);
}

static const struct figures *
total(const struct listing *listing)
{
  const struct leaks *leaks = listing->context;
  return &leaks->figures[leaks->paths.count];
}

static void
note(const struct listing *listing, struct sink *sink)
{
  const struct leaks *leaks = listing->context;
  char text[200];
  if (leaks->suppressed.kept_allocs == 0)
    return;
  snprintf(text, sizeof text,
           "Suppressed: %" PRIu64 " bytes in %" PRIu64
           " object%s; --suppressions=none shows them.",
           leaks->suppressed.kept_bytes, leaks->suppressed.kept_allocs,
           leaks->suppressed.kept_allocs == 1 ? "" : "s");
  report_paragraph(sink, text);
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
  return column_used(view, USE_KEPT)
             ? NULL
             : "This profile does not record what was freed.";
}

const struct table leaks_table = {
    .title = "MEMORY LEAKS",
    .rows = "paths",
    .sort = SORT_KEPT,
    .keeps_empty = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .lacks = lacks,
    .context_bytes = sizeof(struct leaks),
    .init = init,
    .total = total,
    .note = note,
    .legend = legend,
};
