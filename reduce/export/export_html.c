/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that a browser shows: the program of reduce/html, with the data
 * in the middle.
 *
 * The data are one JSON object, packed (packed_text.h), so that no name can
 * be taken for markup.  Tables are arrays of integers, row after row; names
 * stand in one array of strings, and tables hold their places.  -1 stands for
 * nothing.  reduce/html/src/profile.js is the reader, and names the columns.
 *
 * All figures are the reduction's.  The chains (chain_rows.h) are there for
 * the flame graph, and for sums over a part of them: one type, one phase.
 */

#include "export/export_html.h"
#include "common/pprof_format.h"
#include "export/export.h"

#include "export/chain_rows.h"
#include "export/frame_colours.h"
#include "export/html_page.h"
#include "export/json_text.h"
#include "export/listing.h"
#include "export/packed_text.h"
#include "common/system_functions.h"
#include "report/report.h"
#include "report/size_types.h"
#include "report/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is being written. */
struct page {
  const struct reduction *reduction;
  struct chain_tree tree;
  struct chain_rows rows;
  struct names names; /* as they show */
  struct sink *sink;
};

/* Writes what EMIT writes about the reduction, as a string. */
static void
write_report(const struct page *page,
             void (*emit)(const struct reduction *, struct sink *))
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  emit(page->reduction, &sink);
  if (!sink_flush(&sink))
    sink_fail(page->sink, sink.error_number);
  json_string(page->sink, text.text == NULL ? "" : text.text);
  free(text.text);
}

/* The place of TEXT, made to fit on one line, among the names. */
static uint32_t
name_of(struct page *page, const char *text)
{
  uint32_t id = NAMES_NONE;
  struct sink_string shown = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &shown);
  escape_name(&sink, text, "");
  if (sink_flush(&sink))
    id = names_intern(&page->names, shown.text == NULL ? "" : shown.text);
  if (id == NAMES_NONE)
    sink_fail(page->sink, ENOMEM);
  free(shown.text);
  return id;
}

/* The place of the name of FUNCTION's package; functions of one package look
 * alike. */
static uint32_t
name_of_package(struct page *page, const struct function *function)
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  frame_package_write(page->reduction, function, &sink);
  if (!sink_flush(&sink))
    sink_fail(page->sink, sink.error_number);
  uint32_t id = name_of(page, text.text == NULL ? "" : text.text);
  free(text.text);
  return id;
}

static void
write_number(struct page *page, bool first, uint64_t number)
{
  sink_format(page->sink, first ? "%" PRIu64 : ",%" PRIu64, number);
}

static void
write_index(struct page *page, bool first, uint32_t index)
{
  sink_format(page->sink, first ? "%" PRId64 : ",%" PRId64,
              index == INDEX_NONE ? -1 : (int64_t)index);
}

/* NUMBER, -1 unless it is KNOWN. */
static void
write_optional(struct page *page, bool known, uint64_t number)
{
  if (known)
    write_number(page, false, number);
  else
    sink_text(page->sink, ",-1");
}

static void
write_calls(struct page *page, uint64_t calls)
{
  write_optional(page, calls != CALLS_UNKNOWN, calls);
}

/* Writes the measures of FIGURES that are known. */
static void
write_counts(struct page *page, const struct figures *figures)
{
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (reduction_knows(page->reduction, (enum measure)i))
      write_number(page, false, figures->counts[i]);
}

static void
write_figures(struct page *page, const struct figures *figures)
{
  write_counts(page, figures);
  for (size_t i = 0; i < CATEGORY_COUNT; i++)
    write_number(page, false, figures->category_bytes[i]);
}

static void
begin_table(struct page *page, const char *key)
{
  sink_format(page->sink, ",\n\"%s\":[", key);
}

static void
write_functions(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  const struct call_graph *graph = &page->reduction->graph;
  begin_table(page, "functions");
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const struct function *function =
        node->function == INDEX_NONE
            ? NULL
            : &page->reduction->frames.functions[node->function];
    const char *file = listed_file(page->reduction, node);
    bool system = function != NULL && profile->language == LANGUAGE_LISP &&
                  is_system_function(node->name, file);
    write_index(page, i == 0, name_of(page, node->name));
    write_index(page, false,
                function == NULL ? name_of(page, "")
                                 : name_of_package(page, function));
    write_index(page, false, name_of(page, file));
    write_number(page, false, (uint64_t)listed_line(page->reduction, node));
    write_number(page, false, system);
    write_number(page, false, node->cycle);
    write_calls(page, node->calls);
    write_calls(page, node->root_calls);
    write_figures(page, &node->self);
    write_figures(page, &node->inclusive);
    write_figures(page, &node->root);
  }
  sink_text(page->sink, "]");
}

static void
write_arcs(struct page *page)
{
  const struct call_graph *graph = &page->reduction->graph;
  begin_table(page, "arcs");
  for (size_t i = 0; i < graph->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[i];
    write_index(page, i == 0, arc->caller);
    write_index(page, false, arc->callee);
    write_calls(page, arc->calls);
    write_figures(page, &arc->inclusive);
  }
  sink_text(page->sink, "]");
}

static void
write_types(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  begin_table(page, "types");
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct profile_type *type = &profile->types[i];
    const struct figures *figures = &page->reduction->tally.types[i];
    write_number(page, i == 0, type->category);
    write_index(page, false,
                name_of(page, names_text(&profile->names, type->type)));
    write_index(page, false,
                name_of(page, names_text(&profile->names, type->class_name)));
    write_counts(page, figures);
  }
  sink_text(page->sink, "]");
}

/* The place of what objects in BIN are: the type with most bytes; of C
 * programs those of TYPES that have the size. */
static uint32_t
name_of_bin(struct page *page, const struct tally_bin *bin,
            const struct size_types *types)
{
  enum { MOST_NAMES = 4 };
  const struct profile *profile = page->reduction->profile;
  const struct tally *tally = &page->reduction->tally;
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  if (bin->part_count > 0)
    sink_text(
        &sink,
        tally_type_name(profile,
                        &profile->types[tally->parts[bin->first_part].type]));
  if (profile->language == LANGUAGE_C && bin->kind == BIN_SIZE)
    size_types_write(types, bin->size, MOST_NAMES, &sink);
  if (!sink_flush(&sink))
    sink_fail(page->sink, ENOMEM);
  uint32_t name = name_of(page, text.text == NULL ? "" : text.text);
  free(text.text);
  return name;
}

static void
write_bins(struct page *page)
{
  const struct tally *tally = &page->reduction->tally;
  struct size_types types;
  if (!size_types_init(&types, page->reduction->profile))
    sink_fail(page->sink, ENOMEM);
  begin_table(page, "bins");
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct tally_bin *bin = &tally->bins[i];
    write_number(page, i == 0, (uint64_t)bin->kind);
    write_number(page, false, bin->kind == BIN_SIZE ? bin->size : 0);
    write_counts(page, &bin->figures);
    write_index(page, false, name_of_bin(page, bin, &types));
    write_number(page, false, bin->part_count);
  }
  sink_text(page->sink, "]");
  size_types_release(&types);
}

/* The place of the profile's region INDEX in the table of regions. */
static uint32_t
row_of_region(const struct page *page, uint32_t index)
{
  const struct profile *profile = page->reduction->profile;
  const struct region_figures *regions = &page->reduction->regions;
  const char *path = names_text(&profile->names, profile->regions[index]);
  for (uint32_t i = 0; i < regions->count; i++)
    if (strcmp(regions->rows[i].path, path) == 0)
      return i;
  return INDEX_NONE;
}

static void
write_regions(struct page *page)
{
  enum { MILLISECOND = 1000000 }; /* of nanoseconds */
  const struct region_figures *regions = &page->reduction->regions;
  begin_table(page, "regions");
  for (size_t i = 0; i < regions->count; i++) {
    const struct region_row *row = &regions->rows[i];
    write_index(page, i == 0, name_of(page, row->path));
    write_number(page, false, row->entered);
    write_number(page, false, row->spent);
    write_optional(page, row->first != 0, row->first / MILLISECOND);
    write_optional(page, row->last != 0, row->last / MILLISECOND);
    write_optional(page, row->knows_held, row->held);
    write_counts(page, &row->figures);
  }
  sink_text(page->sink, "]");
}

/* Phases and threads: name and counts; and the groups that rows and calls
 * refer to. */
static void
write_groups(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  const struct tally *tally = &page->reduction->tally;
  begin_table(page, "phases");
  for (size_t i = 0; i < PHASE_COUNT; i++) {
    write_index(page, i == 0, name_of(page, phase_title((enum phase)i)));
    write_counts(page, &tally->phases[i]);
  }
  sink_text(page->sink, "]");
  begin_table(page, "threads");
  for (size_t i = 0; i < profile->thread_count; i++) {
    write_index(page, i == 0, name_of(page, profile_thread_name(profile, i)));
    write_counts(page, &tally->threads[i]);
  }
  sink_text(page->sink, "]");
  begin_table(page, "groups");
  for (size_t i = 0; i < page->rows.group_count; i++) {
    write_number(page, i == 0, (uint64_t)page->rows.groups[i].phase);
    write_index(page, false, page->rows.groups[i].thread);
    write_index(page, false,
                row_of_region(page, page->rows.groups[i].region));
  }
  sink_text(page->sink, "]");
}

static void
write_chains(struct page *page)
{
  const struct chain_tree *tree = &page->tree;
  const struct chain_rows *rows = &page->rows;
  begin_table(page, "nodes");
  for (size_t i = 0; i < tree->count; i++) {
    write_index(page, i == 0, tree->nodes[i].parent);
    write_index(page, false, tree->nodes[i].item);
  }
  sink_text(page->sink, "]");
  begin_table(page, "rows");
  for (size_t i = 0; i < rows->row_count; i++) {
    write_index(page, i == 0, rows->rows[i].node);
    write_index(page, false, rows->rows[i].type);
    write_index(page, false, rows->rows[i].group);
    for (int m = 0; m < MEASURE_COUNT; m++)
      if (reduction_knows(page->reduction, (enum measure)m))
        write_number(page, false, rows->rows[i].counts[m]);
  }
  sink_text(page->sink, "]");
  begin_table(page, "calls");
  for (size_t i = 0; i < rows->call_count; i++) {
    write_index(page, i == 0, rows->calls[i].node);
    write_index(page, false, rows->calls[i].group);
    write_number(page, false, rows->calls[i].calls);
  }
  sink_text(page->sink, "]");
}

/* Writes the measures of COUNTS under KEY. */
static void
write_totals(struct page *page, const char *key, const uint64_t *counts)
{
  const char *comma = "";
  begin_table(page, key);
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (reduction_knows(page->reduction, (enum measure)i)) {
      sink_format(page->sink, "%s%" PRIu64, comma, counts[i]);
      comma = ",";
    }
  sink_text(page->sink, "]");
}

/* Which measures are known, in the words of --value, and the place of the one
 * to begin with. */
static void
write_measures(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  unsigned value = 0;
  begin_table(page, "measures");
  for (unsigned i = 0; i < MEASURE_COUNT; i++) {
    if (!reduction_knows(reduction, (enum measure)i))
      continue;
    write_index(page, i == 0, name_of(page, measure_rows[i].word));
    value += i < (unsigned)reduction->options->value;
  }
  sink_format(page->sink, "],\n\"value\":%u", value);
}

/* What stands at the head of a report. */
static void
write_facts(struct page *page)
{
  const struct reduction *reduction = page->reduction;
  const struct profile *profile = reduction->profile;
  const char *program = profile_comment(profile, PPROF_COMMENT_PROGRAM, 0);
  if (program == NULL)
    program = "";
  sink_text(page->sink, "{\"mprof\":");
  json_string(page->sink, MPROF_VERSION);
  sink_text(page->sink, ",\"program\":");
  sink_format(page->sink, "%" PRIu32, name_of(page, program));
  begin_table(page, "files");
  for (size_t i = 0; i < reduction->options->file_count; i++)
    write_index(page, i == 0, name_of(page, reduction->options->files[i]));
  sink_format(page->sink, "],\n\"lisp\":%d,\"narrowed\":%d",
              profile->language == LANGUAGE_LISP,
              reduction->selection.narrowed);
  write_totals(page, "total", reduction->selection.total.counts);
  write_totals(page, "whole", profile->total);
  write_measures(page);
  sink_format(page->sink, ",\"threads_counted\":%" PRId64 ",\"cycles\":%zu",
              profile_knows(profile, FACT_THREADS)
                  ? profile->facts[FACT_THREADS]
                  : -1,
              reduction->cycles.count);
  begin_table(page, "categories");
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    write_index(page, i == 0,
                name_of(page, category_letter(profile->language, i)));
    write_index(page, false,
                name_of(page, category_name(profile->language, i)));
  }
  sink_text(page->sink, "],\n\"warnings\":");
  write_report(page, report_unattributed);
  sink_text(page->sink, ",\n\"reconciliation\":");
  write_report(page, report_reconciliation);
}

/* Comes last: the tables before it are what finds the names. */
static void
write_names(struct page *page)
{
  begin_table(page, "names");
  for (size_t i = 0; i < page->names.count; i++) {
    sink_text(page->sink, i == 0 ? "" : ",");
    json_string(page->sink, names_text(&page->names, (uint32_t)i));
  }
  sink_text(page->sink, "]}\n");
}

bool
export_html_ready(struct mprof_error *error)
{
  return html_page_head_length > 0 ||
         mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                         "this mprof was built without the page that the "
                         "format html needs: building it takes npm");
}

void
export_html(const struct reduction *reduction, struct sink *sink)
{
  struct page page = {.reduction = reduction};
  struct packed_text text;
  sink_bytes(sink, html_page_head, html_page_head_length);
  packed_text_begin(&text, sink);
  page.sink = &text.sink;
  if (chain_tree_init(&page.tree, reduction, CHAIN_OF_CALLS) &&
      chain_rows_init(&page.rows, &page.tree) && names_init(&page.names)) {
    write_facts(&page);
    write_groups(&page);
    write_regions(&page);
    write_functions(&page);
    write_arcs(&page);
    write_types(&page);
    write_bins(&page);
    write_chains(&page);
    write_names(&page);
  } else {
    sink_fail(page.sink, ENOMEM);
  }
  packed_text_end(&text);
  sink_bytes(sink, html_page_tail, html_page_tail_length);
  names_release(&page.names);
  chain_rows_release(&page.rows);
  chain_tree_release(&page.tree);
}
