/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which options there are.  An option that two commands share means the same
 * in both.
 */

#include "command/option_table.h"

#include <string.h>

enum {
  IN_REPORT = 1 << COMMAND_REPORT,
  IN_EXPORT = 1 << COMMAND_EXPORT,
  IN_DIFF = 1 << COMMAND_DIFF,
  IN_GRAPH = 1 << COMMAND_GRAPH,
  IN_FLAMEGRAPH = 1 << COMMAND_FLAMEGRAPH,
  IN_MERGE = 1 << COMMAND_MERGE,
  IN_RUN = 1 << COMMAND_RUN,
  IN_TABLES = IN_REPORT | IN_DIFF,
  IN_VIEW = IN_TABLES | IN_EXPORT | IN_FLAMEGRAPH | IN_GRAPH,
  IN_ALL = IN_VIEW | IN_MERGE | IN_RUN
};

const struct option_row option_rows[] = {
    {OPTION_FORMAT, IN_EXPORT, "format", "FORMAT",
     "what to write, see below; by default what the file's name says"},
    {OPTION_TABLE, IN_EXPORT, "table", "TABLE",
     "which table to write, see below; for csv"},
    {OPTION_TYPES, IN_EXPORT, "types", NULL,
     "append the type or class as the last frame; for folded"},
    {OPTION_PHASES, IN_EXPORT, "phases", NULL,
     "put the phase before the first frame; for folded"},
    {OPTION_THREADS, IN_EXPORT, "threads", NULL,
     "put the thread before all others; for folded"},
    {OPTION_FAIL_ABOVE, IN_DIFF, "fail-above", "LIMIT",
     "exit 3 when there is more growth: 5%, 1MiB, 1000allocs"},
    {OPTION_FAIL_ABOVE_FUNCTION, IN_DIFF, "fail-above-function", "LIMIT",
     "exit 3 when a function itself grew more"},
    {OPTION_FAIL_ABOVE_KEPT, IN_DIFF, "fail-above-kept", "LIMIT",
     "exit 3 when more was never freed (C): 0, 5%, 10allocs"},
    {OPTION_NORMALIZE, IN_DIFF, "normalize", NULL,
     "scale the old figures so that the totals are equal"},
    {OPTION_VERBOSE, IN_TABLES, "verbose", NULL, "show every row"},
    {OPTION_NORMAL, IN_TABLES, "normal", NULL,
     "leave out rows below 1 % (the default)"},
    {OPTION_TERSE, IN_TABLES, "terse", NULL, "leave out rows below 5 %"},
    {OPTION_MIN_PERCENT, IN_TABLES, "min-percent", "P",
     "leave out rows below P %, such as 0.5"},
    {OPTION_LIMIT, IN_TABLES, "limit", "N", "show at most N rows a table"},
    {OPTION_MIN_PERCENT, IN_EXPORT | IN_GRAPH, "min-percent", "P",
     "leave out functions and arcs below P % (1) of the graph; for dot"},
    {OPTION_LIMIT, IN_EXPORT | IN_GRAPH, "limit", "N",
     "draw at most N functions; for dot"},
    {OPTION_SORT, IN_TABLES, "sort", "KEY",
     "by bytes, allocs, calls, self, inclusive, kept, peak, temporary or "
     "name"},
    {OPTION_TABLES, IN_TABLES, "tables", "LIST",
     "print these tables, separated by commas; see below"},
    {OPTION_LEAKTABLE, IN_REPORT, "leaktable", NULL,
     "print the leak table whatever the language"},
    {OPTION_NOLEAKTABLE, IN_REPORT, "noleaktable", NULL,
     "print no leak table"},
    {OPTION_OFFSETS, IN_REPORT, "offsets", NULL,
     "tell call sites in one function apart in the leak table"},
    {OPTION_LINES, IN_REPORT, "lines", NULL,
     "give file and line of call sites in the leak table"},
    {OPTION_CALLERS, IN_REPORT, "callers", "N",
     "give up to N callers in the leak table (5)"},
    {OPTION_NO_LEGEND, IN_TABLES, "no-legend", NULL,
     "leave out the explanations below the tables"},
    {OPTION_WIDTH, IN_TABLES, "width", "N",
     "cut names so that lines have N characters; 0: never"},
    {OPTION_COLOR, IN_TABLES, "color", "WHEN",
     "auto (on a terminal, the default), always or never"},
    {OPTION_WIDTH, IN_FLAMEGRAPH, "width", "N",
     "width of the picture in pixels (1200)"},
    {OPTION_MIN_WIDTH, IN_FLAMEGRAPH, "min-width", "N",
     "leave out frames that are less than N pixels wide (1)"},
    {OPTION_VALUE, IN_VIEW, "value", "VALUE",
     "count bytes, allocs, kept, kept-allocs, peak, peak-allocs, temporary"},
    {OPTION_FOCUS, IN_VIEW, "focus", "REGEX",
     "only allocations below a matching function"},
    {OPTION_IGNORE, IN_VIEW, "ignore", "REGEX",
     "no allocations below a matching function"},
    {OPTION_HIDE, IN_VIEW, "hide", "REGEX",
     "charge matching functions to their callers"},
    {OPTION_SHOW, IN_VIEW, "show", "REGEX",
     "charge functions that do not match to their callers"},
    {OPTION_SHOW_FROM, IN_VIEW, "show-from", "REGEX",
     "chains begin at the first matching function"},
    {OPTION_HIDE_SYSTEM, IN_VIEW, "hide-system", NULL,
     "charge ECL's own functions to their callers"},
    {OPTION_BY, IN_VIEW, "by", "WHAT",
     "group by function, line, file, package or class"},
    {OPTION_PHASE, IN_VIEW, "phase", "LIST",
     "only in these phases: compile, load, eval, run"},
    {OPTION_THREAD, IN_VIEW, "thread", "REGEX",
     "only by threads with a matching name"},
    {OPTION_REGION, IN_VIEW, "region", "REGEX",
     "only in regions with a matching path, and those in them"},
    {OPTION_SHOW_RUNTIME, IN_VIEW, "show-runtime", NULL,
     "show the runtime's own C functions too, and --show-root"},
    {OPTION_SHOW_ROOT, IN_VIEW, "show-root", NULL,
     "show what called the profiled body, and the profiler"},
    {OPTION_OFF, IN_RUN, "off", NULL,
     "count nothing until the program or a signal says so"},
    {OPTION_SIGNAL, IN_RUN, "signal", "SIGNAL",
     "a signal, such as USR2, that starts and stops counting"},
    {OPTION_AUTOSAVE, IN_RUN, "autosave", "N",
     "write the file after every N allocations, too"},
    {OPTION_TEMPORARY, IN_RUN, "temporary", "N",
     "what is freed before the N-th next allocation is temporary (1)"},
    {OPTION_BUDGET, IN_RUN, "budget", "N", "keep at most N chains and sizes at their ends"},
    {OPTION_UNFOLDED, IN_RUN, "unfolded", NULL,
     "tell all depths of a recursion apart"},
    {OPTION_QUIET, IN_RUN, "q", NULL, "do not say what was written"},
    {OPTION_OUTPUT, IN_ALL, "o", "OUT",
     "write to the file OUT, complete or not at all"},
    {OPTION_HELP, IN_ALL, "help", NULL, "print this"},
    {OPTION_HELP, 0, NULL, NULL, NULL},
};

const struct option_row *
option_find(const char *name, size_t length, enum command command)
{
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if ((row->commands >> command & 1) != 0 && strlen(row->name) == length &&
        memcmp(row->name, name, length) == 0)
      return row;
  return NULL;
}
