/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The whole reduction as one JSON object, which mprof-profile.schema.json
 * describes.  Functions, arcs, types, phases and threads are in the order of
 * listing.h, bins and regions in that of their tables; contexts are the nodes
 * of the tree of chains, in its order.
 * Functions and types are referred to by their place in their lists, which
 * counts from zero, as are contexts.
 *
 * What a context allocated by type is gathered by sorting the samples.
 */

#include "export/chain_tree.h"
#include "export/export.h"
#include "export/json_text.h"
#include "export/listing.h"
#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What the leaf of a context allocated of a type. */
struct context_type {
  uint32_t context;
  uint32_t type; /* its place in the list */
  uint64_t allocs;
  uint64_t bytes;
};

struct writing {
  const struct reduction *reduction;
  struct sink *sink;
  struct ranking functions, types;
  uint32_t *function_places; /* by node of the graph */
  uint32_t *type_places;     /* by type of the profile */
  struct chain_tree tree;
  struct context_type *rows; /* by context, then by place */
  size_t row_count;
};

/* The place of each item of RANKING; the caller frees the array of COUNT;
 * NULL when memory runs out. */
static uint32_t *
places_of(const struct ranking *ranking, size_t count)
{
  uint32_t *places = array_zeroed(count, sizeof *places);
  for (size_t i = 0; places != NULL && i < ranking->count; i++)
    places[ranking->rows[i].item] = (uint32_t)i;
  return places;
}

/* By context, then by type. */
static int
compare_context_types(const void *left, const void *right)
{
  const struct context_type *a = left;
  const struct context_type *b = right;
  if (a->context != b->context)
    return a->context < b->context ? -1 : 1;
  return a->type < b->type ? -1 : a->type > b->type;
}

static bool
collect_context_types(struct writing *writing)
{
  const struct profile *profile = writing->reduction->profile;
  size_t count = 0;
  struct context_type *rows =
      array_zeroed(profile->sample_count, sizeof *rows);
  writing->rows = rows;
  if (rows == NULL)
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count sample;
    uint32_t context = writing->tree.of_sample[i];
    if (context == INDEX_NONE)
      continue;
    selection_count(&writing->reduction->selection, i, &sample);
    rows[count++] =
        (struct context_type){context, writing->type_places[sample.type],
                              sample.counts[MEASURE_ALLOCS],
                              sample.counts[MEASURE_BYTES]};
  }
  array_sort(rows, count, sizeof *rows, compare_context_types);
  for (size_t i = 0; i < count; i++) {
    struct context_type *last =
        writing->row_count == 0 ? NULL : &rows[writing->row_count - 1];
    if (last != NULL && compare_context_types(last, &rows[i]) == 0) {
      last->allocs += rows[i].allocs;
      last->bytes += rows[i].bytes;
    } else {
      rows[writing->row_count++] = rows[i];
    }
  }
  return true;
}

/* Writes all measures of COUNTS that are known, each key behind the prefix
 * WHAT. */
static void
write_figures(struct writing *writing, bool first, const char *what,
              const uint64_t *counts)
{
  struct sink *sink = writing->sink;
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (reduction_knows(writing->reduction, (enum measure)i)) {
      sink_format(sink, "%s\"%s%s\":%" PRIu64, first ? "" : ",", what,
                  measure_rows[i].key, counts[i]);
      first = false;
    }
}

static void
write_category_bytes(struct writing *writing, const char *key,
                     const struct figures *figures)
{
  json_key(writing->sink, false, key);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    sink_format(writing->sink, "%s%" PRIu64, i == 0 ? "[" : ",",
                figures->category_bytes[i]);
  sink_text(writing->sink, "]");
}

static void
write_part(struct writing *writing, bool first, uint32_t place,
           uint64_t allocs, uint64_t bytes)
{
  sink_format(writing->sink,
              "%s{\"type\":%" PRIu32 ",\"allocations\":%" PRIu64
              ",\"bytes\":%" PRIu64 "}",
              first ? "" : ",", place, allocs, bytes);
}

/* Writes a number under KEY, null unless it is KNOWN. */
static void
write_optional(struct writing *writing, const char *key, bool known,
               uint64_t number)
{
  json_key(writing->sink, false, key);
  if (known)
    sink_format(writing->sink, "%" PRIu64, number);
  else
    sink_text(writing->sink, "null");
}

static void
write_calls(struct writing *writing, const char *key, uint64_t calls)
{
  write_optional(writing, key, calls != CALLS_UNKNOWN, calls);
}

static void
write_function(struct writing *writing, size_t item)
{
  const struct reduction *reduction = writing->reduction;
  const struct call_graph *graph = &reduction->graph;
  const struct graph_node *node = &graph->nodes[item];
  struct sink *sink = writing->sink;
  int64_t line = listed_line(reduction, node);
  json_key(sink, true, "name");
  json_string(sink, node->name);
  write_figures(writing, false, "self_", node->self.counts);
  write_figures(writing, false, "inclusive_", node->inclusive.counts);
  write_category_bytes(writing, "self_category_bytes", &node->self);
  write_calls(writing, "activations", node->calls);
  json_key(sink, false, "cycle");
  if (node->cycle == 0)
    sink_text(sink, "null");
  else
    sink_format(sink, "%" PRIu32, node->cycle - 1);
  json_key(sink, false, "file");
  json_optional(sink, listed_file(reduction, node));
  json_key(sink, false, "line");
  if (line == 0)
    sink_text(sink, "null");
  else
    sink_format(sink, "%" PRId64, line);
  json_key(sink, false, "types");
  sink_text(sink, "[");
  for (size_t i = 0; i < node->type_count; i++) {
    const struct graph_self_type *row =
        &graph->self_types[node->first_type + i];
    write_part(writing, i == 0, writing->type_places[row->type], row->allocs,
               row->bytes);
  }
  sink_text(sink, "]");
}

static void
write_arc(struct writing *writing, size_t item)
{
  const struct graph_arc *arc = &writing->reduction->graph.arcs[item];
  sink_format(writing->sink, "\"caller\":%" PRIu32 ",\"callee\":%" PRIu32,
              writing->function_places[arc->caller],
              writing->function_places[arc->callee]);
  write_calls(writing, "calls", arc->calls);
  write_figures(writing, false, "", arc->inclusive.counts);
}

static void
write_type(struct writing *writing, size_t item)
{
  const struct profile *profile = writing->reduction->profile;
  const struct profile_type *type = &profile->types[item];
  struct sink *sink = writing->sink;
  json_key(sink, true, "category");
  json_string(sink, category_name(profile->language, type->category));
  json_key(sink, false, "type");
  json_optional(sink, names_text(&profile->names, type->type));
  json_key(sink, false, "class");
  json_optional(sink, names_text(&profile->names, type->class_name));
  write_figures(writing, false, "", writing->reduction->tally.types[item].counts);
}

/* Writes the row called NAME under KEY. */
static void
write_share(struct writing *writing, const char *key, const char *name,
            const struct figures *figures)
{
  json_key(writing->sink, true, key);
  json_string(writing->sink, name);
  write_figures(writing, false, "", figures->counts);
  write_category_bytes(writing, "category_bytes", figures);
}

static void
write_phase(struct writing *writing, size_t item)
{
  write_share(writing, "phase", phase_word((enum phase)item),
              &writing->reduction->tally.phases[item]);
}

static void
write_thread(struct writing *writing, size_t item)
{
  write_share(writing, "name",
              profile_thread_name(writing->reduction->profile, item),
              &writing->reduction->tally.threads[item]);
}

/* Writes the bin INDEX: a size that is null goes by its kind. */
static void
write_bin(struct writing *writing, size_t index)
{
  static const char *const kinds[] = {[BIN_SIZE] = "size",
                                      [BIN_LARGE] = "large",
                                      [BIN_GROWTH] = "grown",
                                      [BIN_UNKNOWN] = "unknown"};
  const struct tally *tally = &writing->reduction->tally;
  const struct tally_bin *bin = &tally->bins[index];
  struct sink *sink = writing->sink;
  sink_format(sink, "\"kind\":\"%s\",\"size\":", kinds[bin->kind]);
  if (bin->kind == BIN_SIZE)
    sink_format(sink, "%" PRIu64, bin->size);
  else
    sink_text(sink, "null");
  write_figures(writing, false, "", bin->figures.counts);
  sink_text(sink, ",\"types\":[");
  for (size_t i = 0; i < bin->part_count; i++) {
    const struct tally_part *part = &tally->parts[bin->first_part + i];
    write_part(writing, i == 0, writing->type_places[part->type],
               part->figures.allocs, part->figures.bytes);
  }
  sink_text(sink, "]");
}

static void
write_region(struct writing *writing, size_t index)
{
  const struct region_row *region = &writing->reduction->regions.rows[index];
  write_share(writing, "path", region->path, &region->figures);
  sink_format(writing->sink,
              ",\"entered\":%" PRIu64 ",\"nanoseconds\":%" PRIu64,
              region->entered, region->spent);
  write_optional(writing, "first_entered", region->first != 0, region->first);
  write_optional(writing, "last_left", region->last != 0, region->last);
  write_optional(writing, "held_bytes", region->knows_held, region->held);
}

/* Begins the next object of a list, and ends it. */
static void
begin_element(struct sink *sink, bool first)
{
  sink_text(sink, first ? "\n{" : ",\n{");
}

static void
end_element(struct sink *sink)
{
  sink_text(sink, "}");
}

/* Writes the list KEY, an object for each row of RANKING. */
static void
write_rows(struct writing *writing, const char *key,
           const struct ranking *ranking,
           void (*write)(struct writing *, size_t))
{
  sink_format(writing->sink, ",\n\"%s\":[", key);
  for (size_t i = 0; i < ranking->count; i++) {
    begin_element(writing->sink, i == 0);
    write(writing, ranking->rows[i].item);
    end_element(writing->sink);
  }
  sink_text(writing->sink, "]");
}

/* The same for a list that nothing refers to. */
static void
write_list(struct writing *writing, const char *key, listing *list,
           void (*write)(struct writing *, size_t))
{
  struct ranking ranking;
  if (!list(writing->reduction, &ranking))
    sink_fail(writing->sink, ENOMEM);
  write_rows(writing, key, &ranking, write);
  ranking_release(&ranking);
}

/* Writes the list KEY of COUNT objects. */
static void
write_table(struct writing *writing, const char *key, size_t count,
            void (*write)(struct writing *, size_t))
{
  sink_format(writing->sink, ",\n\"%s\":[", key);
  for (size_t i = 0; i < count; i++) {
    begin_element(writing->sink, i == 0);
    write(writing, i);
    end_element(writing->sink);
  }
  sink_text(writing->sink, "]");
}

static void
write_cycles(struct writing *writing)
{
  const struct cycles *cycles = &writing->reduction->cycles;
  struct sink *sink = writing->sink;
  sink_text(sink, ",\n\"cycles\":[");
  for (size_t i = 0; i < cycles->count; i++) {
    const struct cycle *cycle = &cycles->items[i];
    begin_element(sink, i == 0);
    json_key(sink, true, "functions");
    for (size_t m = 0; m < cycle->member_count; m++)
      sink_format(
          sink, "%s%" PRIu32, m == 0 ? "[" : ",",
          writing->function_places[cycles->members[cycle->first_member + m]]);
    sink_text(sink, "]");
    write_figures(writing, false, "self_", cycle->self.counts);
    write_figures(writing, false, "inclusive_", cycle->inclusive.counts);
    write_calls(writing, "calls", cycle->outside_calls);
    write_calls(writing, "inside_calls", cycle->inside_calls);
    end_element(sink);
  }
  sink_text(sink, "]");
}

static void
write_contexts(struct writing *writing)
{
  const struct chain_tree *tree = &writing->tree;
  struct sink *sink = writing->sink;
  size_t row = 0;
  sink_text(sink, ",\n\"contexts\":[");
  for (uint32_t i = 0; i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    begin_element(sink, i == 0);
    sink_text(sink, "\"parent\":");
    if (node->parent == INDEX_NONE)
      sink_text(sink, "null");
    else
      sink_format(sink, "%" PRIu32, node->parent);
    sink_format(sink, ",\"function\":%" PRIu32,
                writing->function_places[node->item]);
    write_calls(writing, "calls", node->calls);
    for (int m = 0; m < MEASURE_COUNT; m++)
      if (reduction_knows(writing->reduction, (enum measure)m))
        sink_format(sink, ",\"%s\":%" PRIu64, measure_rows[m].key,
                    node->counts[m]);
    sink_text(sink, ",\"types\":[");
    for (bool first = true;
         row < writing->row_count && writing->rows[row].context == i;
         row++, first = false)
      write_part(writing, first, writing->rows[row].type,
                 writing->rows[row].allocs, writing->rows[row].bytes);
    sink_text(sink, "]");
    end_element(sink);
  }
  sink_text(sink, "]");
}

static void
write_comments(struct writing *writing)
{
  const struct profile *profile = writing->reduction->profile;
  struct sink *sink = writing->sink;
  sink_text(sink, ",\n\"comments\":[");
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *value;
    char *key = listed_comment(profile, i, &value);
    if (key == NULL) {
      sink_fail(sink, ENOMEM);
      return;
    }
    begin_element(sink, i == 0);
    json_key(sink, true, "key");
    json_string(sink, key);
    json_key(sink, false, "value");
    json_string(sink, value);
    end_element(sink);
    free(key);
  }
  sink_text(sink, "]");
}

static void
write_head(struct writing *writing)
{
  const struct profile *profile = writing->reduction->profile;
  struct sink *sink = writing->sink;
  sink_text(sink, "{\"format\":\"mprof-profile\",\"version\":2,"
                  "\"generator\":\"mprof " MPROF_VERSION "\",\n");
  sink_format(sink, "\"language\":\"%s\",\"categories\":[",
              profile->language == LANGUAGE_LISP ? "lisp" : "c");
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    sink_text(sink, i == 0 ? "" : ",");
    json_string(sink, category_name(profile->language, i));
  }
  sink_text(sink, "],\n\"totals\":{");
  write_figures(writing, true, "", writing->reduction->selection.total.counts);
  sink_text(sink, "},\n\"file_totals\":{");
  write_figures(writing, true, "", profile->total);
  sink_text(sink, "}");
}

static void
write_all(struct writing *writing)
{
  write_head(writing);
  write_rows(writing, "functions", &writing->functions, write_function);
  write_list(writing, "arcs", list_arcs, write_arc);
  write_cycles(writing);
  write_rows(writing, "types", &writing->types, write_type);
  write_contexts(writing);
  write_table(writing, "bins", writing->reduction->tally.bin_count,
              write_bin);
  write_table(writing, "regions", writing->reduction->regions.count,
              write_region);
  write_list(writing, "phases", list_phases, write_phase);
  write_list(writing, "threads", list_threads, write_thread);
  write_comments(writing);
  sink_text(writing->sink, "}\n");
}

void
export_json(const struct reduction *reduction, struct sink *sink)
{
  struct writing writing = {.reduction = reduction, .sink = sink};
  bool good = list_functions(reduction, &writing.functions);
  good = list_types(reduction, &writing.types) && good;
  writing.function_places =
      places_of(&writing.functions, reduction->graph.node_count);
  writing.type_places =
      places_of(&writing.types, reduction->profile->type_count);
  good = chain_tree_init(&writing.tree, reduction, CHAIN_OF_FUNCTIONS) &&
         good && writing.function_places != NULL &&
         writing.type_places != NULL && collect_context_types(&writing);
  if (good)
    write_all(&writing);
  else
    sink_fail(sink, ENOMEM);
  ranking_release(&writing.functions);
  ranking_release(&writing.types);
  free(writing.function_places);
  free(writing.type_places);
  chain_tree_release(&writing.tree);
  free(writing.rows);
}
