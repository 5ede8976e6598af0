/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comma-separated values as RFC 4180 has them: a header, lines that end in
 * CR LF, text in double quotes with these doubled, so that commas, quotes and
 * line ends in names are no matter.  Numbers are without quotes.
 *
 * A spreadsheet takes text that begins with "=", "+", "-" or "@", perhaps
 * after a tab or a line end, for a formula, quotes or not.  Such text, and
 * text that begins with an apostrophe, gets an apostrophe in front: what
 * reads the file takes one away from text that begins with one.
 *
 * A chain is one cell, root first, as the format folded writes it.
 */

#include "export/export_csv.h"

#include "export/chain_tree.h"
#include "export/export.h"
#include "export/listing.h"
#include "output.h"
#include "base/array.h"
#include "report/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void
write_text(struct sink *sink, const char *text)
{
  sink_text(sink, *text != '\0' && strchr("=+-@'\t\r\n", *text) != NULL
                      ? "\"'"
                      : "\"");
  while (*text != '\0') {
    size_t plain = strcspn(text, "\"");
    sink_bytes(sink, text, plain);
    text += plain;
    if (*text == '"') {
      sink_text(sink, "\"\"");
      text++;
    }
  }
  sink_text(sink, "\"");
}

/* The next cell of a row, text or a number. */
static void
next_text(struct sink *sink, const char *text)
{
  sink_text(sink, ",");
  write_text(sink, text);
}

static void
next_number(struct sink *sink, uint64_t number)
{
  sink_format(sink, ",%" PRIu64, number);
}

/* NUMBER, or nothing unless it is KNOWN. */
static void
next_optional(struct sink *sink, bool known, uint64_t number)
{
  if (known)
    next_number(sink, number);
  else
    sink_text(sink, ",");
}

static void
end_row(struct sink *sink)
{
  sink_text(sink, "\r\n");
}

/* The measures that stand first in a row, and those behind. */
enum { FIRST_MEASURES = MEASURE_ALLOCS + 1 };

/* Writes the headings of the known measures from FIRST on, before END, each
 * behind the prefix WHAT; a comma stands before each. */
static void
next_headings(const struct reduction *reduction, int first, int end,
              const char *what, struct sink *sink)
{
  for (int i = first; i < end; i++)
    if (reduction_knows(reduction, (enum measure)i))
      sink_format(sink, ",%s%s", what, measure_rows[i].key);
}

/* The cells below these. */
static void
next_figures(const struct reduction *reduction, int first, int end,
             const struct figures *figures, struct sink *sink)
{
  for (int i = first; i < end; i++)
    if (reduction_knows(reduction, (enum measure)i))
      next_number(sink, figures->counts[i]);
}

/* Fills ROWS; fails SINK when memory runs out. */
static void
list_rows(const struct reduction *reduction, listing *list,
          struct ranking *rows, struct sink *sink)
{
  if (!list(reduction, rows))
    sink_fail(sink, ENOMEM);
}

void
csv_functions(const struct reduction *reduction, struct sink *sink)
{
  struct ranking rows;
  list_rows(reduction, list_functions, &rows, sink);
  sink_text(sink, "function");
  next_headings(reduction, 0, FIRST_MEASURES, "self_", sink);
  next_headings(reduction, 0, FIRST_MEASURES, "inclusive_", sink);
  next_headings(reduction, FIRST_MEASURES, MEASURE_COUNT, "self_", sink);
  next_headings(reduction, FIRST_MEASURES, MEASURE_COUNT, "inclusive_", sink);
  sink_text(sink, ",calls,cycle,file,line\r\n");
  for (size_t i = 0; i < rows.count; i++) {
    const struct graph_node *node =
        &reduction->graph.nodes[rows.rows[i].item];
    int64_t line = listed_line(reduction, node);
    write_text(sink, node->name);
    next_figures(reduction, 0, FIRST_MEASURES, &node->self, sink);
    next_figures(reduction, 0, FIRST_MEASURES, &node->inclusive, sink);
    next_figures(reduction, FIRST_MEASURES, MEASURE_COUNT, &node->self, sink);
    next_figures(reduction, FIRST_MEASURES, MEASURE_COUNT, &node->inclusive,
                 sink);
    next_optional(sink, node->calls != CALLS_UNKNOWN, node->calls);
    next_optional(sink, node->cycle != 0, node->cycle);
    next_text(sink, listed_file(reduction, node));
    next_optional(sink, line != 0, (uint64_t)line);
    end_row(sink);
  }
  ranking_release(&rows);
}

void
csv_arcs(const struct reduction *reduction, struct sink *sink)
{
  const struct call_graph *graph = &reduction->graph;
  struct ranking rows;
  list_rows(reduction, list_arcs, &rows, sink);
  sink_text(sink, "caller,callee,calls");
  next_headings(reduction, 0, MEASURE_COUNT, "", sink);
  end_row(sink);
  for (size_t i = 0; i < rows.count; i++) {
    const struct graph_arc *arc = &graph->arcs[rows.rows[i].item];
    write_text(sink, graph->nodes[arc->caller].name);
    next_text(sink, graph->nodes[arc->callee].name);
    next_optional(sink, arc->calls != CALLS_UNKNOWN, arc->calls);
    next_figures(reduction, 0, MEASURE_COUNT, &arc->inclusive, sink);
    end_row(sink);
  }
  ranking_release(&rows);
}

void
csv_types(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  struct ranking rows;
  list_rows(reduction, list_types, &rows, sink);
  sink_text(sink, "category,type,class");
  next_headings(reduction, 0, MEASURE_COUNT, "", sink);
  end_row(sink);
  for (size_t i = 0; i < rows.count; i++) {
    size_t item = rows.rows[i].item;
    const struct profile_type *type = &profile->types[item];
    write_text(sink, category_name(profile->language, type->category));
    next_text(sink, names_text(&profile->names, type->type));
    next_text(sink, names_text(&profile->names, type->class_name));
    next_figures(reduction, 0, MEASURE_COUNT, &reduction->tally.types[item],
                 sink);
    end_row(sink);
  }
  ranking_release(&rows);
}

/* Writes the chain that ends in NODE as one cell.  PATH has room for it. */
static void
write_chain(const struct chain_tree *tree, uint32_t node, uint32_t *path,
            struct sink *sink)
{
  struct sink_string text = {0};
  struct sink chain;
  size_t length = 0;
  sink_init(&chain, sink_write_string, &text);
  for (uint32_t n = node; n != INDEX_NONE; n = tree->nodes[n].parent)
    path[length++] = tree->nodes[n].item;
  while (length-- > 0) {
    escape_name(&chain, chain_item_name(tree, path[length]), ";");
    sink_text(&chain, length == 0 ? "" : ";");
  }
  if (!sink_flush(&chain))
    sink_fail(sink, ENOMEM);
  write_text(sink, text.text == NULL ? "" : text.text);
  free(text.text);
}

void
csv_contexts(const struct reduction *reduction, struct sink *sink)
{
  struct chain_tree tree;
  bool good = chain_tree_init(&tree, reduction, CHAIN_OF_FUNCTIONS);
  uint32_t *path = good ? array_zeroed(tree.count, sizeof *path) : NULL;
  if (path == NULL)
    sink_fail(sink, ENOMEM);
  sink_text(sink, "chain");
  next_headings(reduction, 0, FIRST_MEASURES, "", sink);
  sink_text(sink, ",calls");
  next_headings(reduction, FIRST_MEASURES, MEASURE_COUNT, "", sink);
  end_row(sink);
  for (uint32_t i = 0; path != NULL && i < tree.count; i++) {
    const struct chain_node *node = &tree.nodes[i];
    if (!chain_node_allocates(node) && node->calls == 0)
      continue;
    write_chain(&tree, i, path, sink);
    next_number(sink, node->counts[MEASURE_BYTES]);
    next_number(sink, node->counts[MEASURE_ALLOCS]);
    next_optional(sink, node->calls != CALLS_UNKNOWN, node->calls);
    for (int m = FIRST_MEASURES; m < MEASURE_COUNT; m++)
      if (reduction_knows(reduction, (enum measure)m))
        next_number(sink, node->counts[m]);
    end_row(sink);
  }
  free(path);
  chain_tree_release(&tree);
}

/* Writes the header of a table of shares, whose first column is KEY. */
static void
write_share_header(const struct reduction *reduction, const char *key,
                   struct sink *sink)
{
  sink_text(sink, key);
  next_headings(reduction, 0, FIRST_MEASURES, "", sink);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    next_text(sink, category_name(reduction->profile->language, i));
  next_headings(reduction, FIRST_MEASURES, MEASURE_COUNT, "", sink);
}

static void
write_share(const struct reduction *reduction, const char *name,
            const struct figures *figures, struct sink *sink)
{
  write_text(sink, name);
  next_figures(reduction, 0, FIRST_MEASURES, figures, sink);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    next_number(sink, figures->category_bytes[i]);
  next_figures(reduction, FIRST_MEASURES, MEASURE_COUNT, figures, sink);
}

/* Writes a table of shares: a row for each that LIST gives, with the figures
 * at its place in FIGURES. */
static void
write_shares(const struct reduction *reduction, const char *key,
             listing *list, const struct figures *figures, struct sink *sink)
{
  struct ranking rows;
  list_rows(reduction, list, &rows, sink);
  write_share_header(reduction, key, sink);
  end_row(sink);
  for (size_t i = 0; i < rows.count; i++) {
    write_share(reduction, rows.rows[i].name, &figures[rows.rows[i].item],
                sink);
    end_row(sink);
  }
  ranking_release(&rows);
}

void
csv_phases(const struct reduction *reduction, struct sink *sink)
{
  write_shares(reduction, "phase", list_phases, reduction->tally.phases,
               sink);
}

void
csv_threads(const struct reduction *reduction, struct sink *sink)
{
  write_shares(reduction, "thread", list_threads, reduction->tally.threads,
               sink);
}

/* A region is a row with all in it. */
void
csv_regions(const struct reduction *reduction, struct sink *sink)
{
  const struct region_figures *regions = &reduction->regions;
  write_share_header(reduction, "region", sink);
  sink_text(sink, ",entered,nanoseconds,first_entered,last_left,held_bytes");
  end_row(sink);
  for (size_t i = 0; i < regions->count; i++) {
    const struct region_row *row = &regions->rows[i];
    write_share(reduction, row->path, &row->figures, sink);
    next_number(sink, row->entered);
    next_number(sink, row->spent);
    next_optional(sink, row->first != 0, row->first);
    next_optional(sink, row->last != 0, row->last);
    next_optional(sink, row->knows_held, row->held);
    end_row(sink);
  }
}

/* A row for each type in each bin, so that no cell is a list. */
void
csv_bins(const struct reduction *reduction, struct sink *sink)
{
  static const char *const kinds[] = {[BIN_SIZE] = "",
                                      [BIN_LARGE] = "large",
                                      [BIN_GROWTH] = "grown",
                                      [BIN_UNKNOWN] = "unknown"};
  const struct profile *profile = reduction->profile;
  const struct tally *tally = &reduction->tally;
  sink_text(sink, "size,category,type,class");
  next_headings(reduction, 0, MEASURE_COUNT, "", sink);
  end_row(sink);
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct tally_bin *bin = &tally->bins[i];
    for (size_t j = 0; j < bin->part_count; j++) {
      const struct tally_part *part = &tally->parts[bin->first_part + j];
      const struct profile_type *type = &profile->types[part->type];
      if (bin->kind == BIN_SIZE)
        sink_format(sink, "%" PRIu64, bin->size);
      else
        write_text(sink, kinds[bin->kind]);
      next_text(sink, category_name(profile->language, type->category));
      next_text(sink, names_text(&profile->names, type->type));
      next_text(sink, names_text(&profile->names, type->class_name));
      next_figures(reduction, 0, MEASURE_COUNT, &part->figures, sink);
      end_row(sink);
    }
  }
}

void
export_csv(const struct reduction *reduction, struct sink *sink)
{
  const struct output *table = reduction->options->table;
  (table == NULL ? &csv_tables[0] : table)->emit(reduction, sink);
}
