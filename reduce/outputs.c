/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which tables and which formats there are. */

#include "output.h"

#include "export/export.h"
#include "export/export_csv.h"
#include "report/report.h"

#include <string.h>

const struct output report_tables[] = {
    {"leaks", "memory that was never freed (C)", report_leaks, NULL},
    {"regions", "allocation by named region", report_regions, NULL},
    {"phases", "allocation by phase: compile, load, eval, run", report_phases,
     NULL},
    {"threads", "allocation by thread", report_threads, NULL},
    {"direct", "what each function itself allocated", report_direct, NULL},
    {"peak", "what was live when most bytes were (C)", report_peak, NULL},
    {"temporary", "objects that were freed at once (C)", report_temporary,
     NULL},
    {"types", "allocation by Lisp type and class", report_types, NULL},
    {"type-functions", "for each type the functions that allocate it",
     report_functions_of_types, NULL},
    {"function-types", "for each function what it allocates",
     report_types_of_functions, NULL},
    {"graph", "callers and callees of each function", report_graph, NULL},
    {"bins", "allocation by size of object", report_bins, NULL},
    {"reconciliation", "the count against the collector's own",
     report_reconciliation, NULL},
    {NULL, NULL, NULL, NULL},
};

const struct output export_formats[] = {
    {"folded", "one line a chain, for flame graphs", export_folded,
     ".folded .collapsed "},
    {"html", "a page for the browser, all in one file", export_html,
     ".html .htm "},
    {"lisp", "one expression that a Lisp reader reads", export_lisp,
     ".lisp .sexp "},
    {"lisp-contexts", "the call chains, for a Lisp reader",
     export_lisp_contexts, NULL},
    {"pprof", "a profile again, as selected, for pprof and mprof",
     export_pprof, ".pb.gz .pprof .data "},
    {"callgrind", "functions and calls, for KCachegrind", export_callgrind,
     ".callgrind .callgrind.out "},
    {"dot", "the call graph, for Graphviz", export_dot, ".dot .gv "},
    {"speedscope", "chains, for speedscope", export_speedscope,
     ".speedscope.json "},
    {"dhat", "chains, for the viewer of valgrind's DHAT", export_dhat,
     ".dhat.json "},
    {"json", "everything, for programs; it has a JSON schema", export_json,
     ".json "},
    {"csv", "one table, for spreadsheets; see --table", export_csv, ".csv "},
    {NULL, NULL, NULL, NULL},
};

const struct output csv_tables[] = {
    {"functions", "self and inclusive figures of each function",
     csv_functions, NULL},
    {"arcs", "calls and figures of each caller with each callee", csv_arcs,
     NULL},
    {"types", "figures of each type and class", csv_types, NULL},
    {"contexts", "figures of each distinct chain", csv_contexts, NULL},
    {"bins", "figures of each size of object", csv_bins, NULL},
    {"regions", "figures of each named region", csv_regions, NULL},
    {"phases", "figures of each phase", csv_phases, NULL},
    {"threads", "figures of each thread", csv_threads, NULL},
    {NULL, NULL, NULL, NULL},
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

bool
output_has_one_measure(const struct output *format)
{
  return format->emit == export_folded || format->emit == export_dot ||
         format->emit == export_dhat || format->emit == export_lisp_contexts;
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
