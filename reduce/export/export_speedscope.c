/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file format of speedscope (https://www.speedscope.app): sampled
 * profiles over the same chains, one for each measure that is known.  Samples
 * come as a walk through the tree of chains finds them, so that the view in
 * the order of time shows whole subtrees.
 *
 * Numbers are written exactly; readers in JavaScript round those above 2^53.
 */

#include "analysis/call_tree.h"
#include "base/quote.h"
#include "export/export.h"

#include <inttypes.h>

static void
write_frames(const struct view *view, struct sink *sink)
{
  const struct call_graph *graph = &view->graph;
  sink_text(sink, "\"shared\":{\"frames\":[");
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const char *file = node_file(view, node);
    int64_t line = node_line(view, node);
    sink_text(sink, i == 0 ? "\n{\"name\":" : ",\n{\"name\":");
    json_string(sink, node->name);
    if (*file != '\0') {
      sink_text(sink, ",\"file\":");
      json_string(sink, file);
    }
    if (line != 0)
      sink_format(sink, ",\"line\":%" PRId64, line);
    sink_text(sink, "}");
  }
  sink_text(sink, "]}");
}

/* Writes one of the profiles.  PATH has room for the longest chain. */
static void
write_profile(const struct chains *chains, enum measure measure,
              uint32_t *path, struct sink *sink)
{
  const struct selection *selection = chains->tree->selection;
  const struct tree_node *nodes = chains->tree->tree.nodes;
  const struct measure_row *row = measure_row(selection->profile, measure);
  const char *separator = "";
  struct string_sink weights;
  string_sink_init(&weights);
  sink_format(sink,
              "{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\","
              "\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
              row->noun, row->bytes ? "bytes" : "none",
              selection->total.counts[measure]);
  for (size_t i = 1; i < chains->count; i++) {
    const uint64_t value = chains->counts[chains->walk[i]].counts[measure];
    size_t length = 0;
    if (value == 0)
      continue;
    for (uint32_t n = chains->walk[i]; n != TREE_ROOT; n = nodes[n].parent)
      path[length++] = nodes[n].item;
    sink_format(sink, "%s\n[", separator);
    while (length-- > 0)
      sink_format(sink, "%" PRIu32 "%s", path[length],
                  length == 0 ? "]" : ",");
    sink_format(&weights.sink, "%s%" PRIu64, separator, value);
    separator = ",";
  }
  sink_format(sink, "],\n\"weights\":[%s]}", string_sink_text(&weights));
  pool_free(weights.text);
}

void
export_speedscope(const struct view *view, struct sink *sink)
{
  unsigned active = 0; /* the number of the profile that shows first */
  struct chains chains;
  chains_init(&chains, &view->tree, false);
  uint32_t *path = pool_zeroed(chains.count, sizeof *path);
  for (unsigned i = 0; i < (unsigned)view_measure(view); i++)
    active += view_knows(view, (enum measure)i);
  sink_text(sink,
            "{\"$schema\":\"https://www.speedscope.app/"
            "file-format-schema.json\",\n\"exporter\":\"mprof " MPROF_VERSION
            "\",\"name\":");
  json_string(sink, program_name(view, "allocation profile"));
  sink_format(sink, ",\"activeProfileIndex\":%u,\n", active);
  write_frames(view, sink);
  sink_text(sink, ",\n\"profiles\":[\n");
  for (unsigned i = 0; i < MEASURE_COUNT; i++) {
    if (!view_knows(view, (enum measure)i))
      continue;
    sink_text(sink, i == 0 ? "" : ",\n");
    write_profile(&chains, (enum measure)i, path, sink);
  }
  sink_text(sink, "]}\n");
}
