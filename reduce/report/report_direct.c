/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DIRECT ALLOCATION: the functions that allocate, with what each allocated
 * itself.  By bytes unless another order is asked for.
 */

#include "analysis/grouping.h"
#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

static const struct report_column columns[] = {
    {{"%", 0, "mem", 0, false},
     .term = "% mem",
     .meaning = "share of all bytes that the function itself allocated; on "
                "the right the same by category of object"},
    {{NULL, 0, "bytes", 2, false}, .term = "bytes", .meaning = "those bytes"},
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs",
     .meaning = "in so many allocations"},
    CATEGORY_COLUMNS("% mem", 1, USE_ALWAYS, NULL, NULL),
    {{"bytes", 0, "kept", 2, false},
     .use = USE_KEPT,
     .term = "bytes kept",
     .meaning = "bytes of these that were never freed"},
    CATEGORY_COLUMNS("% all kept", 2, USE_KEPT, "% all kept",
                     "their share of all bytes never freed, by category"),
    {{"self", 0, "+desc", 2, false},
     .term = "self+desc",
     .meaning = "share of all bytes that the function and all below it "
                "allocated"},
    {{NULL, 0, "calls", 2, false},
     .use = USE_CALLS,
     .term = "calls",
     .meaning = "calls of the function that led to allocation, in it or "
                "below it",
     .meaning_in_c = "allocations with the function on their chain: each "
                     "counts as one call of it"},
    {{NULL, 0, "name", 2, true}, .term = "name", .meaning = "the function"},
};

/* The functions that allocate, or, in the order of inclusive bytes, all; with
 * their calls. */
struct direct {
  struct ranking ranking;
  uint64_t calls;
};

/* CONTEXT is a struct direct. */
static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct direct *direct = context;
  const struct figures *total = &reduction->selection.total;
  const struct graph_node *node =
      row == NULL ? NULL : &reduction->graph.nodes[row->item];
  const struct figures *figures = node == NULL ? total : &node->self;
  text_table_share(table, figures->bytes, total->bytes);
  text_table_number(table, figures->bytes);
  report_number(table, report_knows_allocs(reduction), figures->allocs);
  add_category_cells(table, figures->category_bytes, total->bytes);
  if (column_used(reduction, USE_KEPT)) {
    text_table_number(table, figures->kept_bytes);
    add_category_cells(table, figures->category_kept, total->kept_bytes);
  }
  text_table_share(table, node == NULL ? total->bytes : node->inclusive.bytes,
                   total->bytes);
  if (column_used(reduction, USE_CALLS))
    report_calls(table, node != NULL ? node->calls
                        : reduction_counted(reduction) == MEASURE_BYTES
                            ? direct->calls
                            : CALLS_UNKNOWN);
  text_table_name(table, node == NULL ? "<TOTAL>" : node->name);
}

static bool
rank_functions(const struct reduction *reduction, struct direct *direct)
{
  const struct call_graph *graph = &reduction->graph;
  const struct options *options = reduction->options;
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (node->self.bytes == 0 && node->self.allocs == 0 &&
        options->sort != SORT_INCLUSIVE)
      continue;
    direct->calls = calls_add(direct->calls, node->calls);
    struct ranking_row row = ranking_row_of(&node->self, node->name, i);
    row.calls = node->calls;
    row.inclusive_bytes = node->inclusive.bytes;
    if (!ranking_add(&direct->ranking, row))
      return false;
  }
  /* Of a C program each allocation is a call of all functions on its chain:
   * their sum would say nothing. */
  if (reduction->profile->language == LANGUAGE_C)
    direct->calls = reduction->selection.total.allocs;
  ranking_arrange(&direct->ranking, &reduction->selection.total, options);
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
  bool lisp = reduction->profile->language == LANGUAGE_LISP;
  const char *const groups[][2] = {
      {"[no file]",
       lisp
           ? "functions whose source file is not known, as those of ECL that "
             "are written in C"
           : "functions whose source file is not known: libraries without "
             "debug information, as a rule"},
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

void
report_direct(const struct reduction *reduction, struct sink *sink)
{
  struct direct direct = {.calls = 0};
  const struct flat_report report = {
      .title = "DIRECT ALLOCATION",
      .rows = granularity_noun(reduction->options->by, true),
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
      .context = &direct,
  };
  ranking_init(&direct.ranking);
  if (!rank_functions(reduction, &direct))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &direct.ranking, sink);
  write_nameless_legend(reduction, sink);
  write_group_legend(reduction, sink);
  if (reduction->profile->language == LANGUAGE_LISP &&
      !reduction->options->select.hide_system)
    report_legend_text(reduction, sink,
                       "With --hide-system what ECL's own functions allocate "
                       "is charged to the functions of the program.");
  ranking_release(&direct.ranking);
}
