/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that a browser shows: the program of reduce/html, with the data
 * in the middle.
 *
 * The data are compressed by zlib and written as base64, so that no name can
 * be taken for markup, and in three parts.  The first is what the format json
 * has, but for its list of contexts; the last another JSON object, with what
 * the page alone says: of the run, measures, categories and colours.
 *
 * The second has the chains, for the flame graph and for sums over a part of
 * them: one type, one phase.  They are most of a large page, so they are
 * columns of numbers, seven bits a byte, the low ones first, the eighth set
 * in all but the last byte of a number:
 *
 *   nodes  how many; how far up from the node before the caller of each is
 *          (0: it is that node); the functions
 *   rows   what was allocated (chain_tree.h), how many; by how much each
 *          node's place is above that of the row before; the types; the
 *          groups; each measure
 *   calls  how many; nodes in the same way; the groups; the calls
 *
 * Nodes come in the order of a walk: callers first.  Functions and types are
 * places in the lists of the first part.  A group is a phase, a thread and a
 * region, which the last part names.
 */

#include "base/array.h"
#include "common/system_functions.h"
#include "export/export.h"
#include "export/frame_colours.h"
#include "tables/chain_tree.h"
#include "tables/output.h"
#include "tables/report.h"
#include "tables/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The page that reduce/html/build.sh makes, as html_page.S puts it into the
 * program: what stands before the data, and what stands after it. */
#define HIDDEN __attribute__((visibility("hidden")))
extern const char html_page_head[] HIDDEN, html_page_tail[] HIDDEN;
extern const uint64_t html_page_head_length HIDDEN,
    html_page_tail_length HIDDEN;

/* What is being written. */
struct page {
  const struct reduction *reduction;
  struct json_places places;
  struct chain_tree tree;
  struct sample_rows rows, calls;
  struct row_table groups; /* phase, thread, region */
  struct frame_colours colours;
  struct writer out;
};

/* Fills ROWS with those of all nodes. */
static bool
collect(const struct page *page, struct sample_rows *rows, enum rows_of of)
{
  bool good = sample_rows_init(rows, &page->tree, of);
  for (uint32_t i = 0; good && i < page->tree.count; i++)
    good = sample_rows_add(rows, i);
  return good;
}

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

/* The groups that rows and calls refer to. */
static void
write_groups(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  struct writer *out = &page->out;
  writer_begin(out, "groups", '[');
  for (size_t i = 0; i < page->groups.row_count; i++) {
    size_t length;
    const uint64_t *group = row_table_words(&page->groups, i, &length);
    writer_begin(out, NULL, '{');
    writer_text(out, "phase", phase_texts[group[0]].word);
    writer_text(out, "thread", profile_thread_name(profile, group[1]));
    writer_text(out, "region",
                names_text(&profile->names, profile->regions[group[2]]));
    writer_end(out, '}');
  }
  writer_end(out, ']');
}

/* The packages that functions have their colours from; the package of each
 * function, how much lighter than others in it this one is, and whether it is
 * one of ECL's own. */
static void
write_colours(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  const struct call_graph *graph = &reduction->graph;
  struct writer *out = &page->out;
  writer_begin(out, "packages", '[');
  for (size_t i = 0; i < page->colours.count; i++) {
    writer_begin(out, NULL, '{');
    writer_text(out, "name", page->colours.packages[i].name);
    writer_number(out, "hue", (uint64_t)page->colours.packages[i].hue);
    writer_end(out, '}');
  }
  writer_end(out, ']');
  writer_begin(out, "colours", '[');
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    uint32_t package = page->colours.of_node[i];
    writer_begin(out, NULL, '{');
    writer_number(out, "function", page->places.functions[i]);
    writer_optional(out, "package", package != INDEX_NONE, package);
    sink_format(out->sink, ",\"shade\":%d", frame_shade(node->name));
    writer_number(
        out, "system",
        node->function != INDEX_NONE &&
            reduction->profile->language == LANGUAGE_LISP &&
            is_system_function(node->name, node_file(reduction, node)));
    writer_end(out, '}');
  }
  writer_end(out, ']');
}

/* When each region was entered first and left last, in milliseconds: the
 * nanoseconds of the format json are beyond the 53 bits that numbers of the
 * page have. */
static void
write_moments(struct page *page)
{
  const struct region_figures *regions = &page->reduction->regions;
  struct writer *out = &page->out;
  writer_begin(out, "moments", '[');
  for (size_t i = 0; i < regions->count; i++) {
    const struct region_row *region = &regions->rows[i];
    writer_begin(out, NULL, '{');
    writer_optional(out, "first_entered", region->first != 0,
                    region->first / 1000000);
    writer_optional(out, "last_left", region->last != 0,
                    region->last / 1000000);
    writer_end(out, '}');
  }
  writer_end(out, ']');
}

/* Which measures are known, and the one to begin with. */
static void
write_measures(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  struct writer *out = &page->out;
  writer_begin(out, "measures", '[');
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const struct measure_row *row =
        measure_row(reduction->profile, (enum measure)i);
    if (!reduction_knows(reduction, (enum measure)i))
      continue;
    writer_begin(out, NULL, '{');
    writer_text(out, "word", row->word);
    writer_text(out, "key", row->key);
    writer_text(out, "noun", row->noun);
    writer_text(out, "what",
                row->what == NULL ? "all that was allocated" : row->what);
    writer_number(out, "bytes", row->bytes);
    writer_end(out, '}');
  }
  writer_end(out, ']');
  writer_text(
      out, "value",
      measure_row(reduction->profile, reduction->options->value)->word);
}

static void
write_categories(struct page *page)
{
  enum language language = page->reduction->profile->language;
  struct writer *out = &page->out;
  writer_begin(out, "letters", '[');
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    writer_text(out, NULL, category_letter(language, i));
  writer_end(out, ']');
  writer_text(out, "categoriesHelp", report_categories_meaning(language));
}

/* What stands at the head of a report. */
static void
write_facts(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  const struct profile *profile = reduction->profile;
  struct writer *out = &page->out;
  writer_text(out, "program", program_name(reduction, ""));
  writer_begin(out, "files", '[');
  for (size_t i = 0; i < reduction->options->file_count; i++)
    writer_text(out, NULL, reduction->options->files[i]);
  writer_end(out, ']');
  writer_number(out, "narrowed", reduction->selection.narrowed);
  writer_number(out, "contexts", reduction->graph.context_count);
  writer_optional(out, "threadsCounted", profile_knows(profile, FACT_THREADS),
                  (uint64_t)profile->facts[FACT_THREADS]);
  write_report(page, "live", report_live);
  write_report(page, "warnings", report_unattributed);
  write_report(page, "reconciliation", report_reconciliation);
}

static void
write_tables(struct page *page)
{
  json_write(&page->places, page->reduction, false, page->out.sink);
}

static void
write_object(struct page *page)
{
  writer_begin(&page->out, NULL, '{');
  write_facts(page);
  write_measures(page);
  write_categories(page);
  write_groups(page);
  write_moments(page);
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
  const struct chain_node *nodes = page->tree.nodes;
  size_t count = page->tree.count;
  write_bits(page, count - 1);
  for (size_t i = 1; i < count; i++) {
    uint32_t n = (uint32_t)i - 1;
    uint64_t up = 0;
    for (; n != nodes[i].parent; n = nodes[n].parent)
      up++;
    write_bits(page, up);
  }
  for (size_t i = 1; i < count; i++)
    write_bits(page, page->places.functions[nodes[i].item]);
}

/* The group of ROW. */
static uint32_t
group_of(struct page *page, const struct sample_row *row)
{
  const uint64_t key[] = {row->keys[ROW_PHASE], row->keys[ROW_THREAD],
                          row->keys[ROW_REGION]};
  uint32_t group =
      row_table_add(&page->groups, key, sizeof key / sizeof key[0]);
  if (group == ROW_NONE)
    sink_fail(page->out.sink, ENOMEM);
  return group;
}

static void
write_rows(struct page *page, const struct sample_rows *rows, bool calls)
{
  const struct sample_row *row = rows->rows;
  uint32_t last = 1;
  write_bits(page, rows->count);
  for (size_t i = 0; i < rows->count; last = row[i++].node)
    write_bits(page, row[i].node - last);
  for (size_t i = 0; !calls && i < rows->count; i++)
    write_bits(page, page->places.types[row[i].keys[ROW_TYPE]]);
  for (size_t i = 0; i < rows->count; i++)
    write_bits(page, group_of(page, &row[i]));
  for (int c = 0; c <= COLUMN_OF_CALLS; c++) {
    if (calls != (c == COLUMN_OF_CALLS) ||
        (!calls && !reduction_knows(page->reduction, (enum measure)c)))
      continue;
    for (size_t i = 0; i < rows->count; i++)
      write_bits(page, row[i].counts[c]);
  }
}

static void
write_chains(struct page *page)
{
  write_nodes(page);
  write_rows(page, &page->rows, false);
  write_rows(page, &page->calls, true);
}

static void
write_base64(struct sink *sink, const unsigned char *bytes, size_t length)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < length; i += 3) {
    size_t count = length - i < 3 ? length - i : 3;
    unsigned char b[3] = {0};
    memcpy(b, bytes + i, count);
    char four[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                    digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
    memset(four + 1 + count, '=', 3 - count);
    sink_bytes(sink, four, sizeof four);
  }
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
  const char *plain = string_sink_for(&text, sink);
  uLong length = (uLong)text.length;
  uLongf room = compressBound(length);
  unsigned char *packed = malloc(room);
  if (packed == NULL ||
      compress(packed, &room, (const Bytef *)plain, length) != Z_OK)
    sink_fail(sink, ENOMEM);
  else
    write_base64(sink, packed, room);
  free(packed);
  string_sink_release(&text);
}

void
export_html(const struct reduction *reduction, struct sink *sink)
{
  struct page page = {.reduction = reduction,
                      .out = {.form = FORM_JSON, .first = true}};
  sink_bytes(sink, html_page_head, html_page_head_length);
  if (json_places_init(&page.places, reduction, sink) &&
      chain_tree_init(&page.tree, reduction, ITEMS_ARE_CALLED) &&
      collect(&page, &page.rows, ROWS_OF_TYPES) &&
      collect(&page, &page.calls, ROWS_OF_CALLS) &&
      frame_colours_init(&page.colours, reduction)) {
    write_packed(&page, sink, write_tables);
    sink_text(sink, "\n");
    write_packed(&page, sink, write_chains);
    sink_text(sink, "\n");
    write_packed(&page, sink, write_object); /* with groups of chains */
  } else {
    sink_fail(sink, ENOMEM);
  }
  sink_bytes(sink, html_page_tail, html_page_tail_length);
  json_places_release(&page.places);
  frame_colours_release(&page.colours);
  sample_rows_release(&page.rows);
  sample_rows_release(&page.calls);
  row_table_release(&page.groups);
  chain_tree_release(&page.tree);
}
