/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which tables and which formats there are. */

#include "advice/advice.h"
#include "tables/output.h"

#include "export/export.h"
#include "tables/report.h"
#include "tables/table.h"

#include <string.h>

static enum shown
shown_if(bool shown)
{
  return shown ? SHOWN_ALWAYS : SHOWN_IF_ASKED;
}

static bool
is_lisp(const struct reduction *reduction)
{
  return reduction->profile->language == LANGUAGE_LISP;
}

static enum shown
shown_leaks(const struct reduction *reduction)
{
  enum leak_choice leaks = reduction->options->leaks;
  return leaks == LEAKS_OFF
             ? SHOWN_NEVER
             : shown_if(leaks == LEAKS_ON ||
                        (!is_lisp(reduction) &&
                         reduction_has(reduction, MEASURE_KEPT_BYTES)));
}

static enum shown
shown_regions(const struct reduction *reduction)
{
  return shown_if(reduction->regions.count > 0);
}

/* Returns how many of COUNT FIGURES are of something. */
static size_t
count_allocated(const struct figures *figures, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    n += figures_any(&figures[i]);
  return n;
}

static enum shown
shown_phases(const struct reduction *reduction)
{
  return shown_if(
      is_lisp(reduction) &&
      (reduction->options->verbose ||
       count_allocated(reduction->tally.phases, PHASE_COUNT) > 1));
}

static enum shown
shown_threads(const struct reduction *reduction)
{
  return shown_if((is_lisp(reduction) && reduction->options->verbose) ||
                  count_allocated(reduction->tally.threads,
                                  reduction->profile->thread_count) > 1);
}

static enum shown
shown_peak(const struct reduction *reduction)
{
  return shown_if(reduction_has(reduction, MEASURE_PEAK_BYTES));
}

static enum shown
shown_temporary(const struct reduction *reduction)
{
  return shown_if(reduction_has(reduction, MEASURE_TEMPORARY_ALLOCS));
}

/* Sizes are not recorded by holder. */
static enum shown
shown_bins(const struct reduction *reduction)
{
  return reduction_is_of_holders(reduction) ? SHOWN_IF_ASKED : SHOWN_ALWAYS;
}

static enum shown
shown_held(const struct reduction *reduction)
{
  return measure_known(reduction->profile, MEASURE_HELD_BYTES) &&
                 !reduction_is_of_holders(
                     reduction) /* the call graph is it */
             ? SHOWN_ALWAYS
             : SHOWN_IF_ASKED;
}

static enum shown
shown_in_lisp(const struct reduction *reduction)
{
  return shown_if(is_lisp(reduction));
}

/* Shows advice in what is written for people, of all functions. */
static enum shown
shown_advice(const struct reduction *reduction)
{
  return advice_applies(reduction) ? SHOWN_ALWAYS : SHOWN_NEVER;
}

const struct output report_tables[] = {
    {"advice", "the three most effective changes, from mprof advise",
     .emit = report_first_advice, .shown = shown_advice},
    {"leaks", "memory that was never freed (C)", .table = &leaks_table,
     .shown = shown_leaks},
    {"regions", "allocation by named region", .table = &regions_table,
     .shown = shown_regions},
    {"phases", "allocation by phase: compile, load, eval, run",
     .table = &phases_table, .shown = shown_phases},
    {"threads", "allocation by thread", .table = &threads_table,
     .shown = shown_threads},
    {"direct", "what each function itself allocated",
     .table = &functions_table},
    {"peak", "what was live at the peak", .table = &peak_table,
     .shown = shown_peak},
    {"temporary", "objects that were freed at once (C)",
     .table = &temporary_table, .shown = shown_temporary},
    {"types", "allocation by Lisp type and class", .table = &types_table,
     .shown = shown_in_lisp},
    {"type-functions", "the functions that allocate each type",
     .table = &type_functions_table, .shown = shown_in_lisp},
    {"function-types", "the types that each function allocates",
     .table = &function_types_table, .shown = shown_in_lisp},
    {"graph", "callers and callees of each function", .emit = report_graph,
     .explain = report_graph_legend},
    {"held", "what keeps live objects alive", .emit = report_held,
     .explain = report_held_legend, .shown = shown_held},
    {"bins", "allocation by size of object", .table = &bins_table,
     .shown = shown_bins},
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

const struct output *
output_for_file(const struct output *outputs, const char *path)
{
  const struct output *found = NULL;
  size_t found_length = 0;
  size_t path_length = strlen(path);
  for (; outputs->name != NULL; outputs++)
    for (const char *ending = outputs->endings;
         ending != NULL && *ending != '\0';) {
      size_t length = strcspn(ending, " ");
      if (length > found_length && length < path_length &&
          memcmp(path + path_length - length, ending, length) == 0) {
        found = outputs;
        found_length = length;
      }
      ending += length + 1;
    }
  return found;
}
