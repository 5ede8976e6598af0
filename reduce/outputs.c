/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which tables and which formats there are. */

#include "output.h"

#include "export/export.h"
#include "report/report.h"

#include <string.h>

const struct output report_tables[] = {
    {"leaks", "memory that was never freed (C)", report_leaks},
    {"phases", "allocation by phase: compile, load, eval, run",
     report_phases},
    {"threads", "allocation by thread", report_threads},
    {"direct", "what each function itself allocated", report_direct},
    {"types", "allocation by Lisp type and class", report_types},
    {"type-functions", "for each type the functions that allocate it",
     report_functions_of_types},
    {"function-types", "for each function what it allocates",
     report_types_of_functions},
    {"graph", "callers and callees of each function", report_graph},
    {"bins", "allocation by size of object", report_bins},
    {"reconciliation", "the count against the collector's own",
     report_reconciliation},
    {NULL, NULL, NULL},
};

const struct output export_formats[] = {
    {"folded", "one line a chain, for flame graphs", export_folded},
    {"lisp", "one expression that a Lisp reader reads", export_lisp},
    {NULL, NULL, NULL},
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
