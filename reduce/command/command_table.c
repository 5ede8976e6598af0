/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which commands there are. */

#include "command/command_table.h"

#include "command/run.h"

#include <string.h>

const struct command_row command_rows[] = {
    {COMMAND_REPORT, "report", "[OPTION...] [FILE...]", "print tables",
     run_report},
    {COMMAND_EXPORT, "export", "--format=FORMAT [OPTION...] [FILE...]",
     "write another format", run_export},
    {COMMAND_DIFF, "diff", "[OPTION...] OLD NEW", "compare two profiles",
     run_diff},
    {COMMAND_MERGE, "merge", "-o OUT FILE...", "make one profile of several",
     run_merge},
    {COMMAND_FLAMEGRAPH, "flamegraph", "[OPTION...] [FILE...]",
     "draw a flame graph, or make a page of it", run_flamegraph},
    {COMMAND_GRAPH, "graph", "[OPTION...] [FILE...]",
     "draw the call graph, by Graphviz", run_graph},
    {COMMAND_RUN, "run", "[OPTION...] [--] PROGRAM [ARGUMENT...]",
     "run a C program and profile it", run_monitored},
    {COMMAND_HELP, "help", "[COMMAND]", "list the options of a command",
     NULL},
    {COMMAND_HELP, "--help", NULL, NULL, NULL},
    {COMMAND_HELP, "-help", NULL, NULL, NULL},
    {COMMAND_HELP, "-h", NULL, NULL, NULL},
    {COMMAND_VERSION, "--version", "", "print the version", NULL},
    {COMMAND_VERSION, "-version", NULL, NULL, NULL},
    {COMMAND_NONE, NULL, NULL, NULL, NULL},
};

enum command
command_find(const char *name)
{
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0)
      return row->command;
  return COMMAND_NONE;
}

const struct command_row *
command_row(enum command command)
{
  const struct command_row *row = command_rows;
  while (row->name != NULL && row->command != command)
    row++;
  return row;
}
