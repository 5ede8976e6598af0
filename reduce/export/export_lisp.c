/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The whole reduction but for the call chains as one expression that a Lisp
 * reader reads; see lisp_text.h.  The order of each list is that of
 * listing.h; bins are sorted by size, their types by bytes.
 */

#include "export/export.h"
#include "export/lisp_text.h"
#include "export/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void
write_type(const struct reduction *reduction, uint32_t index, uint64_t allocs,
           uint64_t bytes, struct sink *sink)
{
  sink_text(sink, "(");
  lisp_type(sink, reduction->profile, index);
  sink_format(sink, " :allocations %" PRIu64 " :bytes %" PRIu64 ")", allocs,
              bytes);
}

/* Writes the measures of FIGURES behind bytes and allocations that are known,
 * as keywords behind the prefix WHAT. */
static void
write_more(const struct reduction *reduction, const char *what,
           const struct figures *figures, struct sink *sink)
{
  for (int i = MEASURE_ALLOCS + 1; i < MEASURE_COUNT; i++) {
    if (!reduction_knows(reduction, (enum measure)i))
      continue;
    sink_format(sink, " :%s", what);
    for (const char *c = measure_rows[i].key; *c != '\0'; c++)
      sink_bytes(sink, *c == '_' ? "-" : c, 1);
    sink_format(sink, " %" PRIu64,
                figures->counts[i]);
  }
}

/* Writes KEY and NUMBER, nil unless that is KNOWN. */
static void
write_optional(const char *key, bool known, uint64_t number,
               struct sink *sink)
{
  if (known)
    sink_format(sink, " %s %" PRIu64, key, number);
  else
    sink_format(sink, " %s nil", key);
}

static void
write_function(const struct reduction *reduction, size_t index,
               struct sink *sink)
{
  const struct call_graph *graph = &reduction->graph;
  const struct graph_node *node = &graph->nodes[index];
  sink_text(sink, "(:name ");
  lisp_string(sink, node->name);
  sink_format(sink,
              " :self-allocations %" PRIu64 " :self-bytes %" PRIu64
              " :inclusive-allocations %" PRIu64 " :inclusive-bytes %" PRIu64,
              node->self.allocs, node->self.bytes, node->inclusive.allocs,
              node->inclusive.bytes);
  write_optional(":activations", node->calls != CALLS_UNKNOWN, node->calls,
                 sink);
  write_more(reduction, "self-", &node->self, sink);
  write_more(reduction, "inclusive-", &node->inclusive, sink);
  sink_text(sink, " :cycle ");
  if (node->cycle == 0)
    sink_text(sink, "nil");
  else
    sink_format(sink, "%" PRIu32, node->cycle);
  sink_text(sink, " :file ");
  lisp_optional(sink, listed_file(reduction, node));
  sink_text(sink, " :line ");
  int64_t line = listed_line(reduction, node);
  if (line == 0)
    sink_text(sink, "nil");
  else
    sink_format(sink, "%" PRId64, line);
  sink_text(sink, " :types (");
  for (size_t i = 0; i < node->type_count; i++) {
    const struct graph_self_type *row =
        &graph->self_types[node->first_type + i];
    sink_text(sink, i == 0 ? "" : " ");
    write_type(reduction, row->type, row->allocs, row->bytes, sink);
  }
  sink_text(sink, "))");
}

static void
write_arc(const struct reduction *reduction, size_t index, struct sink *sink)
{
  const struct call_graph *graph = &reduction->graph;
  const struct graph_arc *arc = &graph->arcs[index];
  sink_text(sink, "(:caller ");
  lisp_string(sink, graph->nodes[arc->caller].name);
  sink_text(sink, " :callee ");
  lisp_string(sink, graph->nodes[arc->callee].name);
  write_optional(":calls", arc->calls != CALLS_UNKNOWN, arc->calls, sink);
  sink_format(sink, " :bytes %" PRIu64 " :allocations %" PRIu64,
              arc->inclusive.bytes, arc->inclusive.allocs);
  write_more(reduction, "", &arc->inclusive, sink);
  sink_text(sink, ")");
}

static void
write_type_row(const struct reduction *reduction, size_t index,
               struct sink *sink)
{
  const struct figures *figures = &reduction->tally.types[index];
  sink_text(sink, "(");
  lisp_type(sink, reduction->profile, (uint32_t)index);
  sink_format(sink, " :allocations %" PRIu64 " :bytes %" PRIu64,
              figures->allocs, figures->bytes);
  write_more(reduction, "", figures, sink);
  sink_text(sink, ")");
}

/* Begins an element for what has FIGURES. */
static void
write_share(const struct reduction *reduction, const char *key,
            const char *name, const struct figures *figures,
            struct sink *sink)
{
  sink_format(sink, "(%s ", key);
  lisp_string(sink, name);
  sink_format(
      sink, " :allocations %" PRIu64 " :bytes %" PRIu64 " :category-bytes (",
      figures->allocs, figures->bytes);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    sink_format(sink, "%s%" PRIu64, i == 0 ? "" : " ",
                figures->category_bytes[i]);
  sink_text(sink, ")");
  write_more(reduction, "", figures, sink);
}

static void
write_phase(const struct reduction *reduction, size_t index,
            struct sink *sink)
{
  write_share(reduction, ":phase", phase_word((enum phase)index),
              &reduction->tally.phases[index], sink);
  sink_text(sink, ")");
}

static void
write_thread(const struct reduction *reduction, size_t index,
             struct sink *sink)
{
  write_share(reduction, ":name",
              profile_thread_name(reduction->profile, index),
              &reduction->tally.threads[index], sink);
  sink_text(sink, ")");
}

static void
write_regions(const struct reduction *reduction, struct sink *sink)
{
  sink_text(sink, "\n :regions\n (");
  for (size_t i = 0; i < reduction->regions.count; i++) {
    const struct region_row *region = &reduction->regions.rows[i];
    sink_text(sink, i == 0 ? "" : "\n  ");
    write_share(reduction, ":path", region->path, &region->figures, sink);
    sink_format(sink, " :entered %" PRIu64 " :nanoseconds %" PRIu64,
                region->entered, region->spent);
    write_optional(":first-entered", region->first != 0, region->first, sink);
    write_optional(":last-left", region->last != 0, region->last, sink);
    write_optional(":held-bytes", region->knows_held, region->held, sink);
    sink_text(sink, ")");
  }
  sink_text(sink, ")");
}

/* Writes the bins: :large are all objects above the largest size that has a
 * bin of its own, :grown the bodies of objects that grew later. */
static void
write_bins(const struct reduction *reduction, struct sink *sink)
{
  const struct tally *tally = &reduction->tally;
  sink_text(sink, "\n :bins\n (");
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct tally_bin *bin = &tally->bins[i];
    sink_text(sink, i == 0 ? "(:size " : "\n  (:size ");
    if (bin->kind == BIN_SIZE)
      sink_format(sink, "%" PRIu64, bin->size);
    else
      sink_text(sink, bin->kind == BIN_LARGE ? ":large" : ":grown");
    sink_format(sink, " :allocations %" PRIu64 " :bytes %" PRIu64,
                bin->figures.allocs, bin->figures.bytes);
    write_more(reduction, "", &bin->figures, sink);
    sink_text(sink, " :types (");
    for (size_t j = 0; j < bin->part_count; j++) {
      const struct tally_part *part = &tally->parts[bin->first_part + j];
      sink_text(sink, j == 0 ? "" : " ");
      write_type(reduction, part->type, part->figures.allocs,
                 part->figures.bytes, sink);
    }
    sink_text(sink, "))");
  }
  sink_text(sink, ")");
}

/* Writes " KEY (...)", an element for each row that LIST gives. */
static void
write_list(const struct reduction *reduction, const char *key, listing *list,
           void (*write)(const struct reduction *, size_t, struct sink *),
           struct sink *sink)
{
  struct ranking ranking;
  if (!list(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  sink_format(sink, "\n %s\n (", key);
  for (size_t i = 0; i < ranking.count; i++) {
    sink_text(sink, i == 0 ? "" : "\n  ");
    write(reduction, ranking.rows[i].item, sink);
  }
  sink_text(sink, ")");
  ranking_release(&ranking);
}

static void
write_comments(const struct profile *profile, struct sink *sink)
{
  sink_text(sink, "\n :comments\n (");
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *value;
    char *key = listed_comment(profile, i, &value);
    if (key == NULL) {
      sink_fail(sink, ENOMEM);
      return;
    }
    sink_text(sink, i == 0 ? "(" : "\n  (");
    lisp_string(sink, key);
    sink_text(sink, " . ");
    lisp_string(sink, value);
    sink_text(sink, ")");
    free(key);
  }
  sink_text(sink, ")");
}

void
export_lisp(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  sink_format(
      sink, "(:mprof-profile :allocations %" PRIu64 " :bytes %" PRIu64,
      reduction->selection.total.allocs, reduction->selection.total.bytes);
  write_more(reduction, "", &reduction->selection.total, sink);
  sink_format(sink, "\n :language %s",
              profile->language == LANGUAGE_LISP ? "\"lisp\"" : "\"c\"");
  write_list(reduction, ":functions", list_functions, write_function, sink);
  write_list(reduction, ":arcs", list_arcs, write_arc, sink);
  write_list(reduction, ":types", list_types, write_type_row, sink);
  write_bins(reduction, sink);
  write_regions(reduction, sink);
  write_list(reduction, ":phases", list_phases, write_phase, sink);
  write_list(reduction, ":threads", list_threads, write_thread, sink);
  write_comments(profile, sink);
  sink_text(sink, ")\n");
}
