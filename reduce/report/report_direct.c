/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DIRECT ALLOCATION: the functions that allocate, with what each allocated
 * itself.  By bytes unless another order is asked for.
 */

#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>
#include <string.h>

static const struct text_column lisp_columns[] = {
    {"%", 0, "mem", 0, false},     {NULL, 0, "bytes", 2, false},
    {NULL, 0, "allocs", 2, false}, {"% mem", 4, " c", 2, false},
    {NULL, 0, " f", 1, false},     {NULL, 0, " s", 1, false},
    {NULL, 0, " o", 1, false},     {NULL, 0, "calls", 2, false},
    {NULL, 0, "name", 2, true},
};

static const struct text_column c_columns[] = {
    {"%", 0, "mem", 0, false},         {NULL, 0, "bytes", 2, false},
    {NULL, 0, "allocs", 2, false},     {"% mem", 4, " s", 2, false},
    {NULL, 0, " m", 1, false},         {NULL, 0, " l", 1, false},
    {NULL, 0, " x", 1, false},         {"bytes", 0, "kept", 2, false},
    {"% all kept", 4, " s", 2, false}, {NULL, 0, " m", 1, false},
    {NULL, 0, " l", 1, false},         {NULL, 0, " x", 1, false},
    {NULL, 0, "calls", 2, false},      {NULL, 0, "name", 2, true},
};

static void
add_row(const struct reduction *reduction, struct text_table *table,
        const struct figures *figures, uint64_t calls, const char *name)
{
  const struct figures *total = &reduction->selection.total;
  text_table_share(table, figures->bytes, total->bytes);
  text_table_number(table, figures->bytes);
  text_table_number(table, figures->allocs);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    text_table_share(table, figures->category_bytes[i], total->bytes);
  if (table->columns == c_columns) {
    text_table_number(table, figures->kept_bytes);
    for (unsigned i = 0; i < CATEGORY_COUNT; i++)
      text_table_share(table, figures->category_kept[i], total->kept_bytes);
  }
  if (reduction->profile.has_activations)
    text_table_number(table, calls);
  else
    text_table_skip(table, 1);
  text_table_name(table, name);
}

/* Ranks the functions that allocate; adds up their calls. */
static bool
rank_functions(const struct reduction *reduction, struct ranking *ranking,
               uint64_t *calls)
{
  const struct call_graph *graph = &reduction->graph;
  const struct options *options = reduction->options;
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (node->self.bytes == 0 && node->self.allocs == 0)
      continue;
    *calls += node->calls;
    if (!ranking_add(ranking,
                     (struct ranking_row){.bytes = node->self.bytes,
                                          .allocs = node->self.allocs,
                                          .name = node->name,
                                          .item = i}))
      return false;
  }
  ranking_sort(ranking,
               options->sort == SORT_DEFAULT ? SORT_BYTES : options->sort);
  ranking_cut(ranking, &reduction->selection.total, options);
  return true;
}

/* Whether something without a function goes by NAME. */
static bool
has_row(const struct reduction *reduction, const char *name)
{
  for (size_t i = 0; i < reduction->graph.node_count; i++)
    if (strcmp(reduction->graph.nodes[i].name, name) == 0)
      return true;
  return false;
}

/* Explains the groups that gather what belongs to none. */
static void
write_group_legend(const struct reduction *reduction, struct sink *sink)
{
  static const char *const groups[][2] = {
      {"[no file]", "functions whose source file is not known, as those of "
                    "ECL that are written in C"},
      {"[no package]", "functions that no symbol names"},
      {"[C]", "C functions, and C++ functions with a plain name"},
  };
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
    if (reduction->options->by != BY_FUNCTION &&
        has_row(reduction, groups[i][0]))
      report_legend(reduction, sink, groups[i][0], groups[i][1]);
}

/* Explains the names that stand in the place of a function. */
static void
write_nameless_legend(const struct reduction *reduction, struct sink *sink)
{
  static const char *const texts[NAMELESS_COUNT] = {
      [NAMELESS_UNKNOWN] = "no function is known",
      [NAMELESS_HIDDEN] = "all functions of the chain are hidden",
      [NAMELESS_RUNTIME] = "only C functions of the runtime, which "
                           "--show-runtime shows",
      [NAMELESS_SESSION] = "the profiler itself and what called it, which "
                           "--show-root shows",
  };
  for (int reason = 0; reason < NAMELESS_COUNT; reason++) {
    const char *name = nameless_name((enum nameless)reason);
    for (size_t i = 0; i < reduction->graph.node_count; i++)
      if (reduction->graph.nodes[i].function == INDEX_NONE &&
          strcmp(reduction->graph.nodes[i].name, name) == 0)
        report_legend(reduction, sink, name, texts[reason]);
  }
}

static void
write_legend(const struct reduction *reduction, struct sink *sink)
{
  report_share_legend(reduction, sink);
  report_legend(reduction, sink, "% mem",
                "share of all bytes that the function itself allocated; on "
                "the right the same by category of object");
  report_category_legend(reduction, sink);
  report_legend(reduction, sink, "bytes", "those bytes");
  report_legend(reduction, sink, "allocs", "in so many allocations");
  if (reduction->profile.language != LANGUAGE_LISP) {
    report_legend(reduction, sink, "bytes kept",
                  "bytes of these that were never freed");
    report_legend(reduction, sink, "% all kept",
                  "their share of all bytes never freed, by category");
  }
  report_legend(
      reduction, sink, "calls",
      "calls of the function that led to allocation, in it or below it");
  write_nameless_legend(reduction, sink);
  write_group_legend(reduction, sink);
  if (reduction->profile.language == LANGUAGE_LISP &&
      !reduction->options->hide_system)
    report_legend_text(reduction, sink,
                       "With --hide-system what ECL's own functions allocate "
                       "is charged to the functions of the program.");
}

void
report_direct(const struct reduction *reduction, struct sink *sink)
{
  struct ranking ranking;
  struct text_table table;
  uint64_t calls = 0;
  ranking_init(&ranking);
  if (reduction->profile.language == LANGUAGE_LISP)
    text_table_init(&table, lisp_columns,
                    sizeof lisp_columns / sizeof lisp_columns[0]);
  else
    text_table_init(&table, c_columns,
                    sizeof c_columns / sizeof c_columns[0]);
  if (!rank_functions(reduction, &ranking, &calls))
    sink_fail(sink, ENOMEM);
  add_row(reduction, &table, &reduction->selection.total, calls, "<TOTAL>");
  for (size_t i = 0; i < ranking.shown; i++) {
    const struct graph_node *node =
        &reduction->graph.nodes[ranking.rows[i].item];
    text_table_weigh(&table, node->self.bytes,
                     reduction->selection.total.bytes);
    add_row(reduction, &table, &node->self, node->calls, node->name);
  }
  report_heading(sink, "DIRECT ALLOCATION");
  text_table_print(&table, sink);
  ranking_note(&ranking, reduction->options, "functions", sink);
  write_legend(reduction, sink);
  text_table_release(&table);
  ranking_release(&ranking);
}
