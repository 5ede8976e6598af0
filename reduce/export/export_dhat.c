/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file format of valgrind's DHAT, version 2, for its viewer dh_view.html.
 * A program point is a distinct chain that allocated something; frames are
 * leaf first, as the viewer has its tree.
 *
 * Neither life times of blocks nor accesses to them are known: "bklt" and
 * "bkacc" are false, and no field is there that these would need.  There is
 * no time, either: the program is taken to have lasted for as many units of
 * time as it made allocations.
 */

#include "base/quote.h"
#include "export/export.h"
#include "tables/chain_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What the viewer says of bytes and blocks, by what is counted. */
static const char *const verbs[MEASURE_NAMES] = {
    [MEASURE_BYTES] = "Allocated",
    [MEASURE_ALLOCS] = "Allocated",
    [MEASURE_KEPT_BYTES] = "Never freed",
    [MEASURE_KEPT_ALLOCS] = "Never freed",
    [MEASURE_PEAK_BYTES] = "Live at the peak",
    [MEASURE_PEAK_ALLOCS] = "Live at the peak",
    [MEASURE_TEMPORARY_ALLOCS] = "Temporary",
    [MEASURE_LOST_BYTES] = "Lost",
    [MEASURE_LOST_ALLOCS] = "Lost",
    [MEASURE_HELD_BYTES] = "Held",
    [MEASURE_HELD_ALLOCS] = "Held",
    [MEASURE_LIVE_BYTES] = "Alive",
    [MEASURE_LIVE_ALLOCS] = "Alive",
};

/* Frames as the viewer shows them: the name, and where it is known, the
 * place in the sources. */
static void
write_frames(const struct reduction *reduction, struct sink *sink)
{
  const struct call_graph *graph = &reduction->graph;
  struct string_sink frame;
  string_sink_init(&frame);
  sink_text(sink, "\"ftbl\":[\"[root]\"");
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const char *file = node_file(reduction, node);
    int64_t line = node_line(reduction, node);
    string_sink_clear(&frame);
    sink_text(&frame.sink, node->name);
    if (*file != '\0' && line != 0)
      sink_format(&frame.sink, " (%s:%" PRId64 ")", file, line);
    else if (*file != '\0')
      sink_format(&frame.sink, " (%s)", file);
    sink_text(sink, ",\n");
    json_string(sink, string_sink_for(&frame, sink));
  }
  string_sink_release(&frame);
  sink_text(sink, "]");
}

static void
write_points(const struct chain_tree *tree, struct sink *sink)
{
  bool first = true;
  sink_text(sink, "\"pps\":[");
  for (uint32_t i = 1; i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    if (!chain_node_allocates(node))
      continue;
    sink_format(sink, "%s\n{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64 ",\"fs\":[",
                first ? "" : ",", node->counts[MEASURE_BYTES],
                node->counts[MEASURE_ALLOCS]);
    first = false;
    /* frame 0 is the root of all chains */
    for (uint32_t n = i; n != TREE_ROOT; n = tree->nodes[n].parent)
      sink_format(sink, "%s%" PRIu64, n == i ? "" : ",",
                  (uint64_t)tree->nodes[n].item + 1);
    sink_text(sink, "]}");
  }
  sink_text(sink, "]");
}

void
export_dhat(const struct reduction *reduction, struct sink *sink)
{
  struct chain_tree tree;
  if (!chain_tree_init(&tree, reduction, ITEMS_ARE_FUNCTIONS))
    sink_fail(sink, ENOMEM);
  sink_format(
      sink,
      "{\"dhatFileVersion\":2,\"mode\":\"heap\","
      "\"verb\":\"%s\",\n\"bklt\":false,\"bkacc\":false,"
      "\n\"tu\":\"allocations\",\"Mtu\":\"million allocations\",\n\"cmd\":",
      verbs[measure_row(reduction->profile, reduction_counted(reduction)) -
            measure_rows]);
  json_string(sink, program_name(reduction, ""));
  sink_format(sink, ",\"pid\":0,\n\"te\":%" PRIu64 ",\n",
              reduction->selection.total.allocs);
  write_points(&tree, sink);
  sink_text(sink, ",\n");
  write_frames(reduction, sink);
  sink_text(sink, "}\n");
  chain_tree_release(&tree);
}
