/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that a browser shows: the program of reduce/html, with the data
 * in the middle.
 *
 * The data are compressed by zlib and written as base64, so that no name can
 * be taken for markup, and in three parts.  The first is what the format json
 * has, but for its list of contexts; the last another JSON object, with what
 * the page alone says: of the run, measures, categories and leaks.
 *
 * The second has the chains, for the flame graph and for sums over a part of
 * them: one type, one phase.  They are most of a large page, so they are
 * columns of numbers, seven bits a byte, the low ones first, the eighth set
 * in all but the last byte of a number:
 *
 *   nodes  how many; how far up from the node before the caller of each is
 *          (0: it is that node); the functions; of the root both are 0
 *   rows   what was allocated (sample_rows.h), how many; by how much each
 *          node's place is above that of the row before; the types; the
 *          labels; the slices of time, from 1 on, if there are any; each
 *          measure
 *   calls  how many; nodes in the same way; the labels; the calls
 *   lines  how many nodes the chains by line have, or 0 without lines; how
 *          far before each but the root its caller is; what each is, a place
 *          in the list "lines" of the last part; the node of each row of what
 *          was allocated
 *
 * Nodes come in the order of a walk: callers first.  Functions and types are
 * places in the lists of the first part.  Labels are a phase, a thread and a
 * region, which the last part names.
 *
 * Where two profiles are compared, those of the old one follow, three parts
 * again.
 */

#include "common/system_functions.h"
#include "export/export.h"
#include "export/page.h"
#include "tables/report.h"
#include "tables/scratch.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The page that reduce/html/build.sh makes, as html_page.S puts it into the
 * program: what stands before the data, and what stands after it. */
#define HIDDEN __attribute__((visibility("hidden")))
extern const char html_page_head[] HIDDEN, html_page_tail[] HIDDEN;
extern const uint64_t html_page_head_length HIDDEN,
    html_page_tail_length HIDDEN;

/* Writes as KEY what EMIT says of the view. */
static void
write_report(struct page *page, const char *key,
             void (*emit)(const struct view *, struct sink *))
{
  struct string_sink text;
  string_sink_init(&text);
  emit(page->view, &text.sink);
  writer_text(&page->out, key, string_sink_text(&text));
}

/* Writes which functions are ECL's own. */
static void
write_system(struct page *page)
{
  const struct view *view = page->view;
  const struct call_graph *graph = &view->graph;
  writer_begin(&page->out, "system", '[');
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (node->function != INDEX_NONE &&
        view->profile->language == LANGUAGE_LISP &&
        is_system_function(node->name, node_file(view, node)))
      writer_number(&page->out, NULL, page->places.functions[i]);
  }
  writer_end(&page->out, ']');
}

/* Returns the bytes that were kept and are not leaks. */
static uint64_t
suppressed_bytes(const struct view *view)
{
  const struct profile *profile = view->profile;
  const bool *suppressed = view->suppressed;
  uint64_t bytes = 0;
  for (size_t i = 0; suppressed != NULL && i < profile->sample_count; i++)
    if (suppressed[profile->samples[i].node] &&
        selection_keeps(&view->selection, i))
      bytes += profile_value(profile, i, MEASURE_KEPT_BYTES);
  return bytes;
}

/* Writes which measures are known, and the one to begin with.  What holds
 * objects takes the place of what was allocated. */
static void
write_measures(struct page *page)
{
  const struct view *view = page->view;
  struct writer *out = &page->out;
  writer_begin(out, "measures", '[');
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const enum measure shown = !view_is_of_holders(view) ? (enum measure)i
                               : i == MEASURE_BYTES      ? MEASURE_HELD_BYTES
                                                    : MEASURE_HELD_ALLOCS;
    const struct measure_row *own =
        measure_row(view->profile, (enum measure)i);
    const struct measure_row *row = measure_row(view->profile, shown);
    if (!view_knows(view, (enum measure)i))
      continue;
    writer_begin(out, NULL, '{');
    writer_text(out, "word", own->word);
    writer_text(out, "key", own->key);
    writer_text(out, "noun", row->noun);
    writer_text(out, "what",
                row->what == NULL ? "everything allocated" : row->what);
    writer_number(out, "bytes", row->bytes);
    writer_end(out, '}');
  }
  writer_end(out, ']');
  writer_text(out, "value",
              measure_row(view->profile, view_measure(view))->word);
}

static void
write_categories(struct page *page)
{
  enum language language = page->view->profile->language;
  struct writer *out = &page->out;
  writer_begin(out, "letters", '[');
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    writer_text(out, NULL, category_letter(language, i));
  writer_end(out, ']');
  writer_text(out, "categoriesHelp", report_categories_meaning(language));
}

/* Writes what stands at the head of a report. */
static void
write_facts(struct page *page)
{
  const struct view *view = page->view;
  const struct profile *profile = view->profile;
  struct writer *out = &page->out;
  writer_text(out, "program", program_name(view, ""));
  writer_begin(out, "files", '[');
  for (size_t i = 0; i < view->options->file_count; i++)
    writer_text(out, NULL, view->options->files[i]);
  writer_end(out, ']');
  writer_number(out, "narrowed", view->selection.narrowed);
  writer_number(out, "holders", view_is_of_holders(view));
  writer_number(out, "contexts", view->graph.context_count);
  writer_number(out, "grouped", view->options->by != BY_FUNCTION);
  writer_number(out, "inlined", view->frames.most_frames > 1);
  writer_optional(out, "threadsCounted", profile_knows(profile, FACT_THREADS),
                  (uint64_t)profile->facts[FACT_THREADS]);
  writer_number(out, "suppressed", suppressed_bytes(view));
  write_report(page, "live", report_live);
  write_report(page, "warnings", report_unattributed);
  write_report(page, "reconciliation", report_reconciliation);
}

static void
write_tables(struct page *page)
{
  json_write(&page->places, page->view, false, page->out.sink);
}

static void
write_object(struct page *page)
{
  writer_begin(&page->out, NULL, '{');
  write_facts(page);
  write_measures(page);
  write_categories(page);
  page_write_labels(page);
  page_write_slices(page);
  write_system(page);
  page_write_lines(page);
  if (column_used(page->view, USE_KEPT))
    writer_table(&page->out, "leaks", &leaks_table, page->view);
  writer_end(&page->out, '}');
}

/* Writes a part of the data by EMIT, packed, to SINK. */
static void
write_packed(struct page *page, struct sink *sink,
             void (*emit)(struct page *))
{
  struct string_sink text;
  string_sink_init(&text);
  page->out.sink = &text.sink;
  emit(page);
  const char *plain = string_sink_text(&text);
  uLong length = (uLong)text.length;
  uLongf room = compressBound(length);
  unsigned char *packed = pool_alloc(room);
  if (compress(packed, &room, (const Bytef *)plain, length) != Z_OK)
    fail_memory();
  base64(sink, packed, room);
  pool_free(packed);
  pool_free(text.text);
}

/* Writes the data of VIEW, three lines. */
static void
write_data(const struct view *view, struct sink *sink)
{
  struct page page = {.view = view,
                      .lines = view->options->lines,
                      .out = {.form = FORM_JSON, .first = true}};
  struct scratch *scratch = scratch_begin();
  page.places = json_places(view);
  page_collect(&page);
  write_packed(&page, sink, write_tables);
  sink_text(sink, "\n");
  write_packed(&page, sink, page_write_chains);
  sink_text(sink, "\n");
  write_packed(&page, sink, write_object);
  scratch_end(scratch);
}

void
export_html(const struct view *view, struct sink *sink)
{
  sink_bytes(sink, html_page_head, html_page_head_length);
  write_data(view, sink);
  if (view->options->base != NULL) {
    sink_text(sink, "\n");
    write_data(view->options->base, sink);
  }
  sink_bytes(sink, html_page_tail, html_page_tail_length);
}
