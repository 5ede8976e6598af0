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

#include "common/pprof_format.h"
#include "export/export.h"

#include "export/html_data.h"
#include "export/html_page.h"
#include "export/packed_text.h"
#include "base/array.h"
#include "report/columns.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What EMIT writes about the reduction. */
static void
write_report(struct page *page, const char *key,
             void (*emit)(const struct reduction *, struct sink *))
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  emit(page->reduction, &sink);
  if (!sink_flush(&sink))
    sink_fail(page->sink, sink.error_number);
  page_text(page, key, text.text == NULL ? "" : text.text);
  free(text.text);
}

static void
write_share(struct page *page, const char *name,
            const struct figures *figures)
{
  page_begin(page, NULL, "{");
  page_name(page, "name", name);
  page_counts(page, figures);
  page_end(page, "}");
}

/* Phases and threads; and the groups that rows and calls refer to. */
static void
write_groups(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  const struct tally *tally = &page->reduction->tally;
  page_begin(page, "phases", "[");
  for (size_t i = 0; i < PHASE_COUNT; i++)
    write_share(page, phase_title((enum phase)i), &tally->phases[i]);
  page_end(page, "]");
  page_begin(page, "threads", "[");
  for (size_t i = 0; i < profile->thread_count; i++)
    write_share(page, profile_thread_name(profile, i), &tally->threads[i]);
  page_end(page, "]");
  page_begin(page, "groups", "[");
  for (size_t i = 0; i < page->rows.group_count; i++) {
    const struct chain_group *group = &page->rows.groups[i];
    page_begin(page, NULL, "{");
    page_number(page, "phase", (uint64_t)group->phase);
    page_index(page, "thread", group->thread);
    page_index(page, "region", page_region(page, group->region));
    page_end(page, "}");
  }
  page_end(page, "]");
}

/* Which measures are known, and the one to begin with. */
static void
write_measures(struct page *page)
{
  page_begin(page, "measures", "[");
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const struct measure_row *row = &measure_rows[i];
    if (!page_knows(page, i))
      continue;
    page_begin(page, NULL, "{");
    page_text(page, "word", row->word);
    page_text(page, "key", row->key);
    page_text(page, "noun", row->noun);
    page_text(page, "what",
              row->what == NULL ? "all that was allocated" : row->what);
    page_number(page, "bytes", row->bytes);
    page_end(page, "}");
  }
  page_end(page, "]");
  page_text(page, "value",
            measure_rows[page->reduction->options->value].word);
}

static void
write_categories(struct page *page)
{
  enum language language = page->reduction->profile->language;
  page_begin(page, "categories", "[");
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    page_begin(page, NULL, "{");
    page_text(page, "letter", category_letter(language, i));
    page_text(page, "name", category_name(language, i));
    page_end(page, "}");
  }
  page_end(page, "]");
  page_text(page, "categoriesHelp", report_categories_meaning(language));
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
  page_text(page, "version", MPROF_VERSION);
  page_name(page, "program", program == NULL ? "" : program);
  page_begin(page, "files", "[");
  for (size_t i = 0; i < reduction->options->file_count; i++)
    page_name(page, NULL, reduction->options->files[i]);
  page_end(page, "]");
  page_number(page, "lisp", profile->language == LANGUAGE_LISP);
  page_number(page, "narrowed", reduction->selection.narrowed);
  page_figures(page, "total", &reduction->selection.total);
  page_figures(page, "whole", &whole);
  page_number(page, "contexts", reduction->graph.context_count);
  page_number(page, "cycles", reduction->cycles.count);
  page_optional(page, "threadsCounted", profile_knows(profile, FACT_THREADS),
                (uint64_t)profile->facts[FACT_THREADS]);
  write_report(page, "warnings", report_unattributed);
  write_report(page, "reconciliation", report_reconciliation);
}

static void
write_object(struct page *page)
{
  page_begin(page, NULL, "{");
  write_facts(page);
  write_measures(page);
  write_categories(page);
  write_groups(page);
  page_tables(page);
  page_end(page, "}");
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
  sink_bytes(page->sink, bytes, length);
}

static void
write_nodes(struct page *page)
{
  const struct chain_tree *tree = &page->tree;
  uint32_t *depths = array_zeroed(tree->count, sizeof *depths);
  uint32_t last = 0;
  if (depths == NULL) {
    sink_fail(page->sink, ENOMEM);
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
  for (int m = 0; m < MEASURE_COUNT; m++)
    for (size_t i = 0; page_knows(page, m) && i < rows->row_count; i++)
      write_bits(page, rows->rows[i].counts[m]);
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
  page->sink = &text.sink;
  emit(page);
  packed_text_end(&text);
}

void
export_html(const struct reduction *reduction, struct sink *sink)
{
  struct page page = {.reduction = reduction, .first = true};
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
