/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The format of valgrind's callgrind: for KCachegrind, QCachegrind and
 * callgrind_annotate.  A block for each function: what it allocated itself,
 * then each callee with the calls and with what was allocated below them.
 *
 * The chains begin at a function <root> of ours, which allocates nothing:
 * readers take what the calls of a function cost together for its inclusive
 * cost, so that chains that start in a function with callers need a caller,
 * too.  The format does not know contexts, so within cycles and
 * self-recursion the arcs into a function, each of them exact, overlap; a
 * reader that adds them up shows more (as for callgrind's own files).
 *
 * After a call count of zero callgrind_annotate takes the next line for a
 * cost of the caller, so an arc of which no call was counted, or of which
 * calls are not known, is written as called once.
 */

#include "export/export.h"
#include "tables/table.h"

#include <inttypes.h>
#include <string.h>

static const char root_name[] = "<root>";

struct callgrind {
  const struct view *view;
  struct sink *sink;
  struct index_map functions; /* node -> number of the name; for the root the
                                 number of nodes */
  struct index_map files;     /* name id -> number of the name */
  enum measure events[MEASURE_COUNT];
  size_t event_count;
  struct string_sink escaped; /* the name in hand */
};

/* Writes NAME escaped; blanks at either end too, and so that it is neither
 * empty nor the name of the root. */
static void
write_escaped(struct callgrind *callgrind, const char *name)
{
  struct sink *sink = callgrind->sink;
  string_sink_clear(&callgrind->escaped);
  escape_name(&callgrind->escaped.sink, name, "\\");
  const char *text = string_sink_text(&callgrind->escaped);
  size_t length = strlen(text);
  bool first = *text == ' ' || strcmp(text, root_name) == 0;
  bool last = length > 1 && text[length - 1] == ' ';
  if (length == 0)
    sink_text(sink, "\\e");
  if (first)
    sink_format(sink, "\\x%02x", (unsigned)*text);
  sink_bytes(sink, text + first, length - first - last);
  if (last)
    sink_text(sink, "\\x20");
}

/* Writes "KEY=(N)", N being the number that NAMES has for ID; the first time
 * with NAME. */
static void
write_name(struct callgrind *callgrind, struct index_map *names,
           const char *key, uint32_t id, const char *name)
{
  struct sink *sink = callgrind->sink;
  uint32_t number = index_map_find(names, id);
  bool known = number != INDEX_NONE;
  if (!known) {
    number = (uint32_t)names->used + 1;
    index_map_add(names, id, number);
  }
  sink_format(sink, "%s=(%" PRIu32 ")%s", key, number, known ? "" : " ");
  if (!known && name == root_name)
    sink_text(sink, name);
  else if (!known)
    write_escaped(callgrind, name);
  sink_text(sink, "\n");
}

/* Writes the file and the name of NODE, or of the root when that is their
 * number, behind the keys. */
static void
write_function(struct callgrind *callgrind, const char *file_key,
               const char *key, size_t node)
{
  const struct view *view = callgrind->view;
  const struct graph_node *n = &view->graph.nodes[node];
  bool root = node == view->graph.node_count;
  uint32_t file = root || n->function == INDEX_NONE
                      ? 0
                      : view->frames.functions[n->function].file;
  write_name(callgrind, &callgrind->files, file_key, file,
             file == 0 ? "???" : node_file(view, n));
  write_name(callgrind, &callgrind->functions, key, (uint32_t)node,
             root ? root_name : n->name);
}

/* Writes what FIGURES say of each event, and ends the line. */
static void
write_counts(struct callgrind *callgrind, const struct figures *figures)
{
  for (size_t i = 0; i < callgrind->event_count; i++)
    sink_format(callgrind->sink, " %" PRIu64,
                figures->counts[callgrind->events[i]]);
  sink_text(callgrind->sink, "\n");
}

/* Writes the costs of FIGURES at LINE. */
static void
write_costs(struct callgrind *callgrind, int64_t line,
            const struct figures *figures)
{
  sink_format(callgrind->sink, "%" PRId64, line);
  write_counts(callgrind, figures);
}

/* Writes a call of CALLEE from LINE. */
static void
write_call(struct callgrind *callgrind, int64_t line, size_t callee,
           uint64_t calls, const struct figures *figures)
{
  const struct view *view = callgrind->view;
  write_function(callgrind, "cfl", "cfn", callee);
  sink_format(callgrind->sink, "calls=%" PRIu64 " %" PRId64 "\n",
              calls == 0 || calls == CALLS_UNKNOWN ? 1 : calls,
              node_line(view, &view->graph.nodes[callee]));
  write_costs(callgrind, line, figures);
}

static void
write_root(struct callgrind *callgrind, const struct ranking *functions)
{
  const struct call_graph *graph = &callgrind->view->graph;
  static const struct figures nothing;
  write_function(callgrind, "\nfl", "fn", graph->node_count);
  write_costs(callgrind, 0, &nothing);
  for (size_t i = 0; i < functions->count; i++) {
    size_t node = functions->rows[i].item;
    const struct graph_node *n = &graph->nodes[node];
    if (figures_any(&n->root) || n->root_calls != 0)
      write_call(callgrind, 0, node, n->root_calls, &n->root);
  }
}

static void
write_block(struct callgrind *callgrind, size_t node)
{
  const struct call_graph *graph = &callgrind->view->graph;
  const struct graph_node *n = &graph->nodes[node];
  int64_t line = node_line(callgrind->view, n);
  write_function(callgrind, "\nfl", "fn", node);
  write_costs(callgrind, line, &n->self);
  for (size_t i = 0; i < n->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[n->first_arc + i];
    write_call(callgrind, line, arc->callee, arc->calls, &arc->inclusive);
  }
}

/* Returns the row of the event I. */
static const struct measure_row *
event_row(const struct callgrind *callgrind, size_t i)
{
  return measure_row(callgrind->view->profile, callgrind->events[i]);
}

static void
write_header(struct callgrind *callgrind)
{
  struct sink *sink = callgrind->sink;
  const char *program = program_name(callgrind->view, "");
  sink_text(sink, "# callgrind format\n"
                  "version: 1\n"
                  "creator: mprof " MPROF_VERSION "\n");
  if (*program != '\0') {
    sink_text(sink, "cmd: ");
    escape_name(sink, program, "\\");
    sink_text(sink, "\n");
  }
  sink_text(sink, "positions: line\n");
  for (size_t i = 0; i < callgrind->event_count; i++)
    sink_format(sink, "event: %s : %s\n", event_row(callgrind, i)->event,
                event_row(callgrind, i)->noun);
  sink_text(sink, "events:");
  for (size_t i = 0; i < callgrind->event_count; i++)
    sink_format(sink, " %s", event_row(callgrind, i)->event);
  sink_text(sink, "\nsummary:");
  write_counts(callgrind, &callgrind->view->selection.total);
}

void
export_callgrind(const struct view *view, struct sink *sink)
{
  const enum measure first = view_measure(view);
  struct callgrind callgrind = {
      .view = view, .sink = sink, .events = {first}, .event_count = 1};
  struct listing functions;
  string_sink_init(&callgrind.escaped);
  for (enum measure m = 0; m < MEASURE_COUNT; m++)
    if (m != first && view_knows(view, m))
      callgrind.events[callgrind.event_count++] = m;
  write_header(&callgrind);
  listing_init(&functions, &functions_table, view, FORM_JSON);
  write_root(&callgrind, &functions.ranking);
  for (size_t i = 0; i < functions.ranking.count; i++)
    write_block(&callgrind, functions.ranking.rows[i].item);
  sink_text(sink, "\ntotals:");
  write_counts(&callgrind, &view->selection.total);
}
