/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of the reduction, as the page gets them. */

#include "export/html_data.h"
#include "export/listing.h"
#include "common/system_functions.h"
#include "report/report.h"
#include "report/size_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
write_functions(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  const struct call_graph *graph = &page->reduction->graph;
  page_begin(page, "functions", "[");
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const char *file = listed_file(page->reduction, node);
    page_begin(page, NULL, "{");
    page_name(page, "name", node->name);
    page_name(page, "file", file);
    page_number(page, "line", (uint64_t)listed_line(page->reduction, node));
    page_number(page, "system",
                node->function != INDEX_NONE &&
                    profile->language == LANGUAGE_LISP &&
                    is_system_function(node->name, file));
    page_index(page, "package", page->colours.of_node[i]);
    sink_format(page->sink, ",\"shade\":%d", frame_shade(node->name));
    page_number(page, "cycle", node->cycle);
    page_calls(page, "calls", node->calls);
    page_calls(page, "rootCalls", node->root_calls);
    page_figures(page, "self", &node->self);
    page_figures(page, "inclusive", &node->inclusive);
    page_figures(page, "root", &node->root);
    page_end(page, "}");
  }
  page_end(page, "]");
  page_begin(page, "packages", "[");
  for (size_t i = 0; i < page->colours.count; i++) {
    page_begin(page, NULL, "{");
    page_name(page, "name", page->colours.packages[i].name);
    page_number(page, "hue", (uint64_t)page->colours.packages[i].hue);
    page_end(page, "}");
  }
  page_end(page, "]");
}

static void
write_arcs(struct page *page)
{
  const struct call_graph *graph = &page->reduction->graph;
  page_begin(page, "arcs", "[");
  for (size_t i = 0; i < graph->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[i];
    page_begin(page, NULL, "{");
    page_index(page, "caller", arc->caller);
    page_index(page, "callee", arc->callee);
    page_calls(page, "calls", arc->calls);
    page_figures(page, "inclusive", &arc->inclusive);
    page_end(page, "}");
  }
  page_end(page, "]");
}

static void
write_types(struct page *page)
{
  const struct profile *profile = page->reduction->profile;
  page_begin(page, "types", "[");
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct profile_type *type = &profile->types[i];
    const char *name = tally_type_name(profile, type);
    if (*name == '\0')
      name = profile->language == LANGUAGE_LISP
                 ? "[unknown type]"
                 : category_name(profile->language, type->category);
    page_begin(page, NULL, "{");
    page_number(page, "category", type->category);
    page_name(page, "type", names_text(&profile->names, type->type));
    page_name(page, "name", name);
    page_counts(page, &page->reduction->tally.types[i]);
    page_end(page, "}");
  }
  page_end(page, "]");
}

/* What objects in BIN are: the type with most bytes; of C programs those of
 * TYPES that have the size. */
static void
write_types_of_bin(struct page *page, const struct tally_bin *bin,
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
  page_name(page, "largest", text.text == NULL ? "" : text.text);
  free(text.text);
}

static void
write_bins(struct page *page)
{
  const struct tally *tally = &page->reduction->tally;
  struct size_types types;
  if (!size_types_init(&types, page->reduction->profile))
    sink_fail(page->sink, ENOMEM);
  page_begin(page, "bins", "[");
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct tally_bin *bin = &tally->bins[i];
    page_begin(page, NULL, "{");
    page_optional(page, "size", bin->kind == BIN_SIZE, bin->size);
    page_text(page, "kind", report_bin_kind(bin->kind));
    write_types_of_bin(page, bin, &types);
    page_number(page, "parts", bin->part_count);
    page_counts(page, &bin->figures);
    page_end(page, "}");
  }
  page_end(page, "]");
  size_types_release(&types);
}

uint32_t
page_region(const struct page *page, uint32_t index)
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
  page_begin(page, "regions", "[");
  for (size_t i = 0; i < regions->count; i++) {
    const struct region_row *row = &regions->rows[i];
    page_begin(page, NULL, "{");
    page_name(page, "name", row->path);
    page_number(page, "entered", row->entered);
    page_number(page, "nanoseconds", row->spent);
    page_optional(page, "first", row->first != 0, row->first / MILLISECOND);
    page_optional(page, "last", row->last != 0, row->last / MILLISECOND);
    page_optional(page, "held", row->knows_held, row->held);
    page_counts(page, &row->figures);
    page_end(page, "}");
  }
  page_end(page, "]");
}

void
page_tables(struct page *page)
{
  write_regions(page);
  write_functions(page);
  write_arcs(page);
  write_types(page);
  write_bins(page);
}
