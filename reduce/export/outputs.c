/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists the tables and formats of output, and finds one by its name or by the
 * ending of a file. */

#include "advice/advice.h"
#include "tables/output.h"

#include "export/export.h"
#include "tables/report.h"
#include "tables/table.h"

#include <string.h>

/* Returns how many of COUNT FIGURES are of something. */
static size_t
count_allocated(const struct figures *figures, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    n += figures_any(&figures[i]);
  return n;
}

bool
output_shown(const struct output *table, const struct view *view)
{
  const struct view_options *options = view->options;
  const struct profile *profile = view->profile;
  const struct tally *tally = &view->tally;
  const bool lisp = profile->language == LANGUAGE_LISP;
  const bool holders = view_is_of_holders(view);
  const size_t phases = count_allocated(tally->phases, PHASE_COUNT);
  const size_t threads =
      count_allocated(tally->threads, profile->thread_count);
  const bool shown[] = {
      [WHEN_ALWAYS] = true,
      [WHEN_ADVISED] = advice_applies(view),
      [WHEN_LEAKS] = options->leaks == LEAKS_ON ||
                     (!lisp && view_has(view, MEASURE_KEPT_BYTES)),
      [WHEN_REGIONS] = view->regions.count > 0,
      [WHEN_PHASES] = lisp && (options->verbose || phases > 1),
      [WHEN_THREADS] = (lisp && options->verbose) || threads > 1,
      [WHEN_PEAK] = view_has(view, MEASURE_PEAK_BYTES),
      [WHEN_TEMPORARY] = view_has(view, MEASURE_TEMPORARY_ALLOCS),
      [WHEN_LISP] = lisp,
      [WHEN_HELD] = !holders && measure_known(profile, MEASURE_HELD_BYTES),
      [WHEN_SIZES] = !holders};
  return shown[table->when];
}

const struct output report_tables[] = {
    {"advice", "the three most effective changes, from mprof advise",
     .emit = report_first_advice, .when = WHEN_ADVISED},
    {"leaks", "memory that was never freed (C)", .table = &leaks_table,
     .when = WHEN_LEAKS},
    {"regions", "allocation by named region", .table = &regions_table,
     .when = WHEN_REGIONS},
    {"phases", "allocation by phase: compile, load, eval, run",
     .table = &phases_table, .when = WHEN_PHASES},
    {"threads", "allocation by thread", .table = &threads_table,
     .when = WHEN_THREADS},
    {"direct", "what each function itself allocated",
     .table = &functions_table},
    {"peak", "what was live at the peak", .table = &peak_table,
     .when = WHEN_PEAK},
    {"temporary", "objects that were freed at once (C)",
     .table = &temporary_table, .when = WHEN_TEMPORARY},
    {"types", "allocation by Lisp type and class", .table = &types_table,
     .when = WHEN_LISP},
    {"type-functions", "the functions that allocate each type",
     .table = &type_functions_table, .when = WHEN_LISP},
    {"function-types", "the types that each function allocates",
     .table = &function_types_table, .when = WHEN_LISP},
    {"graph", "callers and callees of each function", .emit = report_graph,
     .explain = report_graph_legend},
    {"held", "what keeps live objects alive", .emit = report_held,
     .explain = report_held_legend, .when = WHEN_HELD},
    {"bins", "allocation by size of object", .table = &bins_table,
     .when = WHEN_SIZES},
    {"reconciliation", "mprof's count compared with the collector's",
     .emit = report_reconciliation},
    {0},
};

const struct output export_formats[] = {
    {"folded", "one line per chain, for flame graphs", export_folded,
     .endings = ".folded .collapsed ", .one_measure = true},
    {"html", "a page for the browser, in a single file", export_html,
     .endings = ".html .htm ", .compares = true, .leaks_only = true},
    {"lisp", "one expression for the Lisp reader", export_lisp,
     .endings = ".lisp .sexp "},
    {"pprof", "a profile of the selection, for pprof and mprof", export_pprof,
     .endings = ".pb.gz .pprof .data "},
    {"heap", "a heap profile with the four columns of Go's", export_heap,
     .endings = NULL, .compares = true},
    {"callgrind", "functions and calls, for KCachegrind", export_callgrind,
     .endings = ".callgrind .callgrind.out "},
    {"dot", "the call graph, for Graphviz", export_dot,
     .endings = ".dot .gv ", .one_measure = true},
    {"speedscope", "chains, for speedscope", export_speedscope,
     .endings = ".speedscope.json "},
    {"json", "everything, for programs; with a JSON schema", export_json,
     .endings = ".json "},
    {"csv", "one table, for spreadsheets; see --tables", export_csv,
     .endings = ".csv "},
    {"suppressions", "lines that suppress each leak (C)", export_suppressions,
     .endings = ".supp "},
    {0},
};

const struct output csv_tables[] = {
    {"functions", "self and inclusive figures of each function",
     .table = &functions_table},
    {"arcs", "calls and figures of each caller with each callee",
     .table = &arcs_table},
    {"types", "figures of each type and class", .table = &types_table},
    {"contexts", "figures of each distinct chain", .table = &contexts_table},
    {"bins", "figures of each size of object", .table = &bins_table},
    {"regions", "figures of each named region", .table = &regions_table},
    {"phases", "figures of each phase", .table = &phases_table},
    {"threads", "figures of each thread", .table = &threads_table},
    {"advice", "what to change", .table = &advice_table},
    {0},
};

const struct output *
output_find(const struct output *outputs, const char *name, size_t length)
{
  for (; outputs->name != NULL; outputs++)
    if (strlen(outputs->name) == length &&
        memcmp(outputs->name, name, length) == 0)
      return outputs;
  return NULL;
}

size_t
file_ending(const char *path, const char *endings)
{
  const size_t length = strlen(path);
  size_t longest = 0;
  for (; endings != NULL && *endings != '\0';
       endings += strcspn(endings, " ") + 1) {
    const size_t ending = strcspn(endings, " ");
    if (ending > longest && ending < length &&
        memcmp(path + length - ending, endings, ending) == 0)
      longest = ending;
  }
  return longest;
}

const struct output *
output_for_file(const struct output *outputs, const char *path)
{
  const struct output *found = NULL;
  size_t longest = 0;
  for (; outputs->name != NULL; outputs++) {
    const size_t length = file_ending(path, outputs->endings);
    if (length <= longest)
      continue;
    found = outputs;
    longest = length;
  }
  return found;
}
