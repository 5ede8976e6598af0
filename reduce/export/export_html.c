/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that a browser shows: the program of reduce/html, with the data
 * in the middle.
 *
 * The data are packed (packed_text.h), so that no name can be taken for
 * markup, and in two parts.  The first is a JSON object: the figures of the
 * reduction, and what is said of measures, categories and colours.  A row
 * refers to others by their place in their table; null stands for nothing.
 *
 * The second has the chains (chain_rows.h), for the flame graph and for sums
 * over a part of them: one type, one phase.  They are most of a large page,
 * so they are columns of numbers, seven bits a byte, the low ones first, the
 * eighth set in all but the last byte of a number:
 *
 *   nodes   how many; how far up from the node before the caller of each is
 * (0: it is that node); the functions rows    how many; by how much each
 * node's place is above that of the row before; the types; the groups; each
 * measure calls   how many; nodes in the same way; the groups; the calls
 *
 * Nodes come in the order of a walk: callers first.
 */

#include "base/array.h"
#include "common/pprof_format.h"
#include "export/chain_rows.h"
#include "export/export.h"
#include "export/frame_colours.h"
#include "export/html_page.h"
#include "export/packed_text.h"
#include "tables/chain_tree.h"
#include "tables/report.h"
#include "tables/text_report.h"
#include "tables/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is being written. */
struct page {
  const struct reduction *reduction;
  struct chain_tree tree;
  struct chain_rows rows;
  struct frame_colours colours;
  struct writer out;
};

/* What EMIT writes about the reduction. */
static void
write_report(struct page *page, const char *key,
             void (*emit)(const struct reduction *, struct sink *))
{
  struct string_sink text;
  string_sink_init(&text);
  emit(page->reduction, &text.sink);
  writer_text(&page->out, key, string_sink_for(&text, page->out.sink));
  string_sink_release(&text);
}

/* The place of the profile's region INDEX in the table of regions. */
static uint32_t
place_of_region(const struct page *page, uint32_t index)
{
  const struct profile *profile = page->reduction->profile;
  const struct region_figures *regions = &page->reduction->regions;
  const char *path = names_text(&profile->names, profile->regions[index]);
  for (uint32_t i = 0; i < regions->count; i++)
    if (strcmp(regions->rows[i].path, path) == 0)
      return i;
  return INDEX_NONE;
}

/* The groups that rows and calls refer to. */
static void
write_groups(struct page *page)
{
  struct writer *out = &page->out;
  writer_begin(out, "groups", '[');
  for (size_t i = 0; i < page->rows.group_count; i++) {
    const struct chain_group *group = &page->rows.groups[i];
    writer_begin(out, NULL, '{');
    writer_number(out, "phase", (uint64_t)group->phase);
    writer_index(out, "thread", group->thread);
    writer_index(out, "region", place_of_region(page, group->region));
    writer_end(out, '}');
  }
  writer_end(out, ']');
}

/* The packages that functions have their colours from; the package of each
 * function, and how much lighter than others in it this one is. */
static void
write_colours(struct page *page)
{
  const struct call_graph *graph = &page->reduction->graph;
  struct writer *out = &page->out;
  writer_begin(out, "packages", '[');
  for (size_t i = 0; i < page->colours.count; i++) {
    writer_begin(out, NULL, '{');
    writer_name(out, "name", page->colours.packages[i].name);
    writer_number(out, "hue", (uint64_t)page->colours.packages[i].hue);
    writer_end(out, '}');
  }
  writer_end(out, ']');
  writer_begin(out, "colours", '[');
  for (size_t i = 0; i < graph->node_count; i++) {
    writer_begin(out, NULL, '{');
    writer_index(out, "package", page->colours.of_node[i]);
    sink_format(out->sink, ",\"shade\":%d",
                frame_shade(graph->nodes[i].name));
    writer_end(out, '}');
  }
  writer_end(out, ']');
}

static void
write_tables(struct page *page)
{
  static const struct {
    const char *key;
    const struct table *table;
  } tables[] = {
      {"phases", &phases_table},   {"threads", &threads_table},
      {"regions", &regions_table}, {"functions", &functions_table},
      {"arcs", &arcs_table},       {"types", &types_table},
      {"bins", &bins_table},
  };
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    writer_table(&page->out, tables[i].key, tables[i].table,
                 page->reduction);
}

/* Which measures are known, and the one to begin with. */
static void
write_measures(struct page *page)
{
  writer_begin(&page->out, "measures", '[');
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const struct measure_row *row = &measure_rows[i];
    if (!reduction_knows(page->reduction, (enum measure)i))
      continue;
    writer_begin(&page->out, NULL, '{');
    writer_text(&page->out, "word", row->word);
    writer_text(&page->out, "key", row->key);
    writer_text(&page->out, "noun", row->noun);
    writer_text(&page->out, "what",
              row->what == NULL ? "all that was allocated" : row->what);
    writer_number(&page->out, "bytes", row->bytes);
    writer_end(&page->out, '}');
  }
  writer_end(&page->out, ']');
  writer_text(&page->out, "value",
            measure_rows[page->reduction->options->value].word);
}

static void
write_categories(struct page *page)
{
  enum language language = page->reduction->profile->language;
  writer_begin(&page->out, "categories", '[');
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    writer_begin(&page->out, NULL, '{');
    writer_text(&page->out, "letter", category_letter(language, i));
    writer_text(&page->out, "name", category_name(language, i));
    writer_end(&page->out, '}');
  }
  writer_end(&page->out, ']');
  writer_text(&page->out, "categoriesHelp",
              report_categories_meaning(language));
}

/* What stands at the head of a report. */
static void
write_facts(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  const struct profile *profile = reduction->profile;
  const char *program = profile_comment(profile, PPROF_COMMENT_PROGRAM, 0);
  struct figures whole = {0};
  memcpy(whole.counts, profile->total, sizeof whole.counts);
  writer_text(&page->out, "version", MPROF_VERSION);
  writer_name(&page->out, "program", program == NULL ? "" : program);
  writer_begin(&page->out, "files", '[');
  for (size_t i = 0; i < reduction->options->file_count; i++)
    writer_name(&page->out, NULL, reduction->options->files[i]);
  writer_end(&page->out, ']');
  writer_number(&page->out, "lisp", profile->language == LANGUAGE_LISP);
  writer_number(&page->out, "narrowed", reduction->selection.narrowed);
  writer_figures(&page->out, page->reduction, "total",
                 &reduction->selection.total);
  writer_figures(&page->out, page->reduction, "whole", &whole);
  writer_number(&page->out, "contexts", reduction->graph.context_count);
  writer_number(&page->out, "cycles", reduction->cycles.count);
  writer_optional(&page->out, "threadsCounted",
                  profile_knows(profile, FACT_THREADS),
                  (uint64_t)profile->facts[FACT_THREADS]);
  write_report(page, "warnings", report_unattributed);
  write_report(page, "reconciliation", report_reconciliation);
}

static void
write_object(struct page *page)
{
  writer_begin(&page->out, NULL, '{');
  write_facts(page);
  write_measures(page);
  write_categories(page);
  write_groups(page);
  write_tables(page);
  write_colours(page);
  writer_end(&page->out, '}');
}

/* The chains: see above. */
static void
write_bits(struct page *page, uint64_t number)
{
  char bytes[10];
  size_t length = 0;
  for (; number > 127; number >>= 7)
    bytes[length++] = (char)((number & 127) | 128);
  bytes[length++] = (char)number;
  sink_bytes(page->out.sink, bytes, length);
}

static void
write_nodes(struct page *page)
{
  const struct chain_tree *tree = &page->tree;
  uint32_t *depths = array_zeroed(tree->count, sizeof *depths);
  uint32_t last = 0;
  if (depths == NULL) {
    sink_fail(page->out.sink, ENOMEM);
    return;
  }
  write_bits(page, tree->count);
  for (size_t i = 0; i < tree->count; i++) {
    uint32_t parent = tree->nodes[i].parent;
    depths[i] = parent == INDEX_NONE ? 1 : depths[parent] + 1;
    write_bits(page, last + 1 - depths[i]);
    last = depths[i];
  }
  for (size_t i = 0; i < tree->count; i++)
    write_bits(page, tree->nodes[i].item);
  free(depths);
}

static void
write_rows(struct page *page)
{
  const struct chain_rows *rows = &page->rows;
  uint32_t last = 0;
  write_bits(page, rows->row_count);
  for (size_t i = 0; i < rows->row_count; last = rows->rows[i++].node)
    write_bits(page, rows->rows[i].node - last);
  for (size_t i = 0; i < rows->row_count; i++)
    write_bits(page, rows->rows[i].type);
  for (size_t i = 0; i < rows->row_count; i++)
    write_bits(page, rows->rows[i].group);
  for (int m = 0; m < MEASURE_COUNT; m++) {
    if (!reduction_knows(page->reduction, (enum measure)m))
      continue;
    for (size_t i = 0; i < rows->row_count; i++)
      write_bits(page, rows->rows[i].counts[m]);
  }
  last = 0;
  write_bits(page, rows->call_count);
  for (size_t i = 0; i < rows->call_count; last = rows->calls[i++].node)
    write_bits(page, rows->calls[i].node - last);
  for (size_t i = 0; i < rows->call_count; i++)
    write_bits(page, rows->calls[i].group);
  for (size_t i = 0; i < rows->call_count; i++)
    write_bits(page, rows->calls[i].calls);
}

static void
write_chains(struct page *page)
{
  write_nodes(page);
  write_rows(page);
}

/* Writes a part of the data by EMIT, packed, to SINK. */
static void
write_packed(struct page *page, struct sink *sink,
             void (*emit)(struct page *))
{
  struct packed_text text;
  packed_text_begin(&text, sink);
  page->out.sink = &text.sink;
  emit(page);
  packed_text_end(&text);
}

void
export_html(const struct reduction *reduction, struct sink *sink)
{
  struct page page = {.reduction = reduction,
                      .out = {.form = FORM_PAGE, .first = true}};
  sink_bytes(sink, html_page_head, html_page_head_length);
  if (chain_tree_init(&page.tree, reduction, CHAIN_OF_CALLS) &&
      chain_rows_init(&page.rows, &page.tree) &&
      frame_colours_init(&page.colours, reduction)) {
    write_packed(&page, sink, write_object);
    sink_text(sink, "\n");
    write_packed(&page, sink, write_chains);
  } else {
    sink_fail(sink, ENOMEM);
  }
  sink_bytes(sink, html_page_tail, html_page_tail_length);
  frame_colours_release(&page.colours);
  chain_rows_release(&page.rows);
  chain_tree_release(&page.tree);
}
