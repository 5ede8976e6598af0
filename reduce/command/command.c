/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which commands there are.  Options, then the command that they name; and
 * how failures become exit statuses.
 */

#include "command/command.h"

#include <string.h>

const struct command_row command_rows[] = {
    {COMMAND_REPORT, "report", "[OPTION...] [FILE...]", "print tables",
     run_report, ".txt ", "text (.txt), and mprof export other formats"},
    {COMMAND_EXPORT, "export", "--format=FORMAT [OPTION...] [FILE...]",
     "write another format", run_export, NULL, NULL},
    {COMMAND_DIFF, "diff", "[OPTION...] OLD NEW", "compare two profiles",
     run_diff, ".txt ", "text (.txt)"},
    {COMMAND_MERGE, "merge", "-o OUT FILE...", "make one profile of several",
     run_merge, ".data .pb.gz .pprof ", "a profile (.data, .pb.gz, .pprof)"},
    {COMMAND_FLAMEGRAPH, "flamegraph", "[OPTION...] [FILE...]",
     "draw a flame graph, or make a page of it", run_flamegraph,
     ".svg .html .htm ", "SVG (.svg) or a page (.html)"},
    {COMMAND_GRAPH, "graph", "[OPTION...] [FILE...]",
     "draw the call graph, by Graphviz", run_graph, ".svg .png .pdf ",
     "SVG (.svg), PNG (.png) or PDF (.pdf)"},
    {COMMAND_RUN, "run", "[OPTION...] [--] PROGRAM [ARGUMENT...]",
     "run a C program and profile it", run_monitored, ".data .pb.gz .pprof ",
     "a profile (.data, .pb.gz, .pprof)"},
    {COMMAND_HELP, "help", "[COMMAND]", "list the options of a command", NULL,
     NULL, NULL},
    {COMMAND_HELP, "--help", NULL, NULL, NULL, NULL, NULL},
    {COMMAND_HELP, "-help", NULL, NULL, NULL, NULL, NULL},
    {COMMAND_HELP, "-h", NULL, NULL, NULL, NULL, NULL},
    {COMMAND_VERSION, "--version", "", "print the version", NULL, NULL, NULL},
    {COMMAND_VERSION, "-version", NULL, NULL, NULL, NULL, NULL},
    {COMMAND_NONE, NULL, NULL, NULL, NULL, NULL, NULL},
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

void
outcome_cannot_write(struct outcome *outcome, const char *target,
                     int error_number)
{
  outcome->status = 1;
  mprof_error_set(&outcome->error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                  "cannot write %s: %s", target, strerror(error_number));
}

int
command_run(int count, const char *const *arguments,
            const struct open_profile *open, struct sink *sink,
            const char *target, struct outcome *outcome)
{
  struct options options;
  memset(outcome, 0, sizeof *outcome);
  mprof_error_clear(&outcome->error);
  bool good =
      options_parse(&options, count, arguments, open, &outcome->error);
  options.progress = sink->progress;
  outcome->command = options.command;
  if (good && options.command == COMMAND_VERSION)
    sink_text(sink, "mprof " MPROF_VERSION "\n");
  else if (good && options.command == COMMAND_HELP)
    help_write(options.topic, sink);
  else if (good)
    good = command_row(options.command)->run(&options, sink, outcome);
  options_release(&options);
  if (good && !sink_flush(sink))
    outcome_cannot_write(outcome, target, sink->error_number);
  else if (!good && outcome->status == 0)
    outcome->status = outcome->error.code == MPROF_USAGE ? 2 : 1;
  return outcome->status;
}
