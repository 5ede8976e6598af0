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
 *          sizes; the labels; the slices of time, from 1 on, if there are
 *          any; each measure; objects and bytes freed, if their times are
 *          known
 *   calls  how many; nodes in the same way; the labels; the calls
 *   lines  how many nodes the chains by line have, or 0 without lines; how
 *          far before each but the root its caller is; what each is, a place
 *          in the list "lines" of the last part; the node of each row of what
 *          was allocated
 *
 * Nodes come in the order of a walk: callers first.  Functions, types and
 * sizes ("bins") are places in the lists of the first part.  Labels are a
 * phase, a thread and a region, which the last part names.
 *
 * Where two profiles are compared, those of the old one follow, three parts
 * again.
 */

#include "common/system_functions.h"
#include "export/export.h"
#include "export/time_slices.h"
#include "tables/output.h"
#include "tables/report.h"
#include "tables/sample_rows.h"
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

/* The data of one view, while they are written. */
struct page {
  const struct view *view;
  struct time_slices slices;
  struct chains chains;
  const struct view *lines; /* by line; NULL: there are none */
  struct sample_rows rows, calls;
  struct writer out;
};

/* ---- the chains ---- */

/* Fills ROWS with those of all nodes. */
static void
collect(const struct page *page, struct sample_rows *rows, enum rows_of of)
{
  sample_rows_init(rows, page->chains.tree, of);
  rows->slices = page->slices.of_labels;
  rows->line_of_sample =
      page->lines == NULL ? NULL : page->lines->tree.of_sample;
  for (size_t i = 0; i < page->chains.count; i++)
    sample_rows_add(rows, page->chains.walk[i]);
}

static void
write_labels(struct page *page)
{
  const struct profile *profile = page->view->profile;
  struct writer *out = &page->out;
  writer_begin(at(out, "labels"), '{');
  writer_begin(at(out, "phase"), '[');
  for (size_t i = 0; i < PHASE_COUNT; i++)
    put_string(out, phase_texts[i].word);
  writer_end(out, ']');
  writer_begin(at(out, "thread"), '[');
  for (size_t i = 0; i < profile->thread_count; i++)
    put_string(out, profile_thread_name(profile, i));
  writer_end(out, ']');
  writer_begin(at(out, "region"), '[');
  for (size_t i = 0; i < profile->region_count; i++)
    put_string(out, names_text(&profile->names, profile->regions[i]));
  writer_end(out, ']');
  writer_end(out, '}');
}

static void
write_slices(struct page *page)
{
  const struct time_slices *slices = &page->slices;
  writer_begin(at(&page->out, "slices"), '[');
  for (size_t i = 0; i < slices->starts.count; i++) {
    const struct timeline_state *state = &slices->states[i];
    writer_begin(&page->out, '{');
    put_number(at(&page->out, "start"), slices->starts.items[i]);
    put_number(at(&page->out, "in_use"), state->in_use);
    put_number(at(&page->out, "resident"), state->resident);
    put_number(at(&page->out, "collections"), state->collections);
    writer_end(&page->out, '}');
  }
  writer_end(&page->out, ']');
}

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
  const struct tree_node *nodes = page->chains.tree->tree.nodes;
  const uint32_t *walk = page->chains.walk;
  size_t count = page->chains.count;
  write_bits(page, count);
  write_bits(page, 0); /* of the root */
  for (size_t i = 1; i < count; i++) {
    uint64_t up = 0;
    for (uint32_t n = walk[i - 1]; n != nodes[walk[i]].parent;
         n = nodes[n].parent)
      up++;
    write_bits(page, up);
  }
  write_bits(page, 0);
  for (size_t i = 1; i < count; i++)
    write_bits(page, page->out.places[TO_FUNCTIONS][nodes[walk[i]].item]);
}

static void
write_rows(struct page *page, const struct sample_rows *rows, bool calls)
{
  static const enum row_key labels[] = {ROW_PHASE, ROW_THREAD, ROW_REGION};
  const struct sample_row *row = rows->rows;
  const bool frees = profile_has(page->view->profile, COLUMN_OF_FREED_BYTES);
  uint32_t last = 0;
  write_bits(page, rows->count);
  for (size_t i = 0; i < rows->count; i++) {
    uint32_t place = page->chains.places[row[i].node];
    write_bits(page, place - last);
    last = place;
  }
  for (size_t i = 0; !calls && i < rows->count; i++)
    write_bits(page, page->out.places[TO_TYPES][row[i].keys[ROW_TYPE]]);
  for (size_t i = 0; !calls && i < rows->count; i++)
    write_bits(page, tally_bin_of(&page->view->tally,
                                  (enum size_kind)row[i].keys[ROW_SIZE_KIND],
                                  row[i].keys[ROW_OBJECT_BYTES]));
  for (size_t k = 0; k < sizeof labels / sizeof labels[0]; k++)
    for (size_t i = 0; i < rows->count; i++)
      write_bits(page, row[i].keys[labels[k]]);
  for (size_t i = 0;
       !calls && page->slices.starts.count > 0 && i < rows->count; i++)
    write_bits(page, row[i].keys[ROW_SLICE]);
  for (int c = 0; c <= COLUMN_OF_FREED_BYTES; c++) {
    if (calls != (c == COLUMN_OF_CALLS) ||
        (c < COLUMN_OF_CALLS && !view_knows(page->view, (enum measure)c)) ||
        (c > COLUMN_OF_CALLS && !frees))
      continue;
    for (size_t i = 0; i < rows->count; i++)
      write_bits(page, row[i].counts[c]);
  }
}

static void
write_line_chains(struct page *page)
{
  if (page->lines == NULL) {
    write_bits(page, 0);
    return;
  }
  const struct tree *tree = &page->lines->tree.tree;
  const size_t count = page->lines->tree.allocating;
  write_bits(page, count);
  for (size_t i = 1; i < count; i++)
    write_bits(page, i - tree->nodes[i].parent);
  for (size_t i = 1; i < count; i++)
    write_bits(page, tree->nodes[i].item);
  for (size_t i = 0; i < page->rows.count; i++)
    write_bits(page, page->rows.rows[i].keys[ROW_LINE]);
}

static void
write_chains(struct page *page)
{
  write_nodes(page);
  write_rows(page, &page->rows, false);
  write_rows(page, &page->calls, true);
  write_line_chains(page);
}

/* ---- the rest ---- */

/* Writes as KEY what EMIT says of the view. */
static void
write_report(struct page *page, const char *key,
             void (*emit)(const struct view *, struct sink *))
{
  struct string_sink text;
  string_sink_init(&text);
  emit(page->view, &text.sink);
  put_string(at(&page->out, key), string_sink_text(&text));
}

/* Writes which functions are ECL's own. */
static void
write_system(struct page *page)
{
  const struct view *view = page->view;
  const struct call_graph *graph = &view->graph;
  writer_begin(at(&page->out, "system"), '[');
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (node->function != INDEX_NONE &&
        view->profile->language == LANGUAGE_LISP &&
        is_system_function(node->name, node_file(view, node)))
      put_number(&page->out, page->out.places[TO_FUNCTIONS][i]);
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
  writer_begin(at(out, "measures"), '[');
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const enum measure shown = !view_is_of_holders(view) ? (enum measure)i
                               : i == MEASURE_BYTES      ? MEASURE_HELD_BYTES
                                                    : MEASURE_HELD_ALLOCS;
    const struct measure_row *own =
        measure_row(view->profile, (enum measure)i);
    const struct measure_row *row = measure_row(view->profile, shown);
    if (!view_knows(view, (enum measure)i))
      continue;
    writer_begin(out, '{');
    put_string(at(out, "word"), own->word);
    put_string(at(out, "key"), own->key);
    put_string(at(out, "noun"), row->noun);
    put_string(at(out, "what"),
               row->what == NULL ? "everything allocated" : row->what);
    put_number(at(out, "bytes"), row->bytes);
    writer_end(out, '}');
  }
  writer_end(out, ']');
  put_string(at(out, "value"),
             measure_row(view->profile, view_measure(view))->word);
}

/* Writes what stands at the head of a report. */
static void
write_facts(struct page *page)
{
  const struct view *view = page->view;
  const struct profile *profile = view->profile;
  struct writer *out = &page->out;
  put_string(at(out, "program"), program_name(view, ""));
  put_string(at(out, "categoriesHelp"),
             report_categories_meaning(profile->language));
  writer_begin(at(out, "files"), '[');
  for (size_t i = 0; i < view->options->file_count; i++)
    put_string(out, view->options->files[i]);
  writer_end(out, ']');
  put_number(at(out, "narrowed"), view->selection.narrowed);
  put_number(at(out, "holders"), view_is_of_holders(view));
  put_number(at(out, "contexts"), view->graph.context_count);
  put_number(at(out, "grouped"), view->options->by != BY_FUNCTION);
  put_number(at(out, "inlined"), view->frames.most_frames > 1);
  put_number(at(out, "frees"), profile_has(profile, COLUMN_OF_FREED_BYTES));
  put_optional(at(out, "threadsCounted"),
               profile_knows(profile, FACT_THREADS),
               (uint64_t)profile->facts[FACT_THREADS]);
  put_number(at(out, "suppressed"), suppressed_bytes(view));
  write_report(page, "live", report_live);
  write_report(page, "warnings", report_unattributed);
  write_report(page, "reconciliation", report_reconciliation);
}

static void
write_tables(struct page *page)
{
  json_write(&page->out, false);
}

static void
write_object(struct page *page)
{
  writer_begin(&page->out, '{');
  write_facts(page);
  write_measures(page);
  write_labels(page);
  write_slices(page);
  write_system(page);
  page_write_lines(&page->out);
  if (column_used(page->view, USE_KEPT))
    writer_table(at(&page->out, "leaks"), &leaks_table);
  if (column_used(page->view, USE_KEPT) && page->lines != NULL) {
    page->out.view = page->lines;
    writer_table(at(&page->out, "lineLeaks"), &leaks_table);
    page->out.view = page->view;
  }
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
  page->out.first = true;
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
                      .out = {.view = view, .form = FORM_JSON}};
  struct scratch *scratch = scratch_begin();
  json_find_places(&page.out);
  time_slices_find(&page.slices, view->profile);
  chains_init(&page.chains, &view->tree, true);
  collect(&page, &page.rows, ROWS_OF_SIZES);
  collect(&page, &page.calls, ROWS_OF_CALLS);
  write_packed(&page, sink, write_tables);
  sink_text(sink, "\n");
  write_packed(&page, sink, write_chains);
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
