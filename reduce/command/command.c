/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which commands there are, and what --help says of them.  Options, then the
 * command that they name; and how failures become exit statuses.
 */

#include "command/command.h"

#include "diff/diff.h"
#include "tables/output.h"
#include "tables/report.h"

#include <stdio.h>

const struct command_row command_rows[] = {
    {COMMAND_REPORT, "report", "[OPTION...] [FILE...]", "print tables",
     run_view, ".txt ", "text (.txt), and mprof export other formats",
     report_write},
    {COMMAND_ADVISE, "advise", "[OPTION...] [FILE...]",
     "suggest what to change", run_view, ".txt ", "text (.txt)",
     report_advice},
    {COMMAND_EXPORT, "export", "--format=FORMAT [OPTION...] [FILE...]",
     "convert to another format", run_view},
    {COMMAND_DIFF, "diff", "[OPTION...] OLD NEW", "compare two profiles",
     run_diff, ".txt ", "text (.txt)"},
    {COMMAND_MERGE, "merge", "-o OUT FILE...", "combine several profiles",
     run_merge, ".data .pb.gz .pprof ", "a profile (.data, .pb.gz, .pprof)"},
    {COMMAND_FLAMEGRAPH, "flamegraph", "[OPTION...] [FILE...]",
     "make an HTML page with a flame graph", run_view, ".html .htm ",
     "a page (.html)"},
    {COMMAND_GRAPH, "graph", "[OPTION...] [FILE...]",
     "draw the call graph, with Graphviz", run_view, ".svg .png .pdf ",
     "SVG (.svg), PNG (.png) or PDF (.pdf)"},
    {COMMAND_RUN, "run", "[OPTION...] [--] PROGRAM [ARGUMENT...]",
     "run a C program and profile it", run_monitored, ".data .pb.gz .pprof ",
     "a profile (.data, .pb.gz, .pprof)"},
    {COMMAND_TOP, "top", "[OPTION...] PID|FILE",
     "show who allocates now in a running program", run_top},
    {COMMAND_HELP, "help", "[COMMAND]",
     "list the options of a command; help tables: explain all columns"},
    {COMMAND_HELP, "--help"},
    {COMMAND_HELP, "-help"},
    {COMMAND_HELP, "-h"},
    {COMMAND_VERSION, "--version", "", "print the version"},
    {COMMAND_VERSION, "-version"},
    {COMMAND_NONE},
};

enum command
command_find(const char *name)
{
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0)
      return row->command;
  return COMMAND_NONE;
}

/* Commands of other profilers, and what stands for them here. */
static const struct habit command_habits[] = {
    {"annotate", "report --by=line"},
    {"attach", "run --pid"},
    {"convert", "export"},
    {"html", "flamegraph"},
    {"leaks", "report --tables=leaks"},
    {"live", "top"},
    {"record", "run"},
    {"stats", "report"},
    {"summary", "report"},
    {"tree", "graph"},
    {"web", "flamegraph"},
    {NULL, NULL}};

_Noreturn void
command_refuse(const char *what, const char *name)
{
  struct suggestion meant = suggestion_for(name, strlen(name));
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (row->arguments != NULL)
      suggestion_offer(&meant, row->name);
  suggestion_by_habit(&meant, command_habits);
  fail_with(MPROF_USAGE, "%s '%s'%s", what, name,
            suggestion_text(&meant, ""));
}

const struct command_row *
command_row(enum command command)
{
  const struct command_row *row = command_rows;
  while (row->name != NULL && row->command != command)
    row++;
  return row;
}

/* ---- help: a form on the left, a few words on the right ---------------- */

void
help_usage(enum command command, struct sink *sink)
{
  const struct command_row *row = command_row(command);
  if (row->run != NULL)
    sink_format(sink, "mprof %s %s", row->name, row->arguments);
  else
    sink_text(sink, "mprof COMMAND [OPTION...] [FILE...]");
}

static void
write_line(struct sink *sink, const char *form, const char *help,
           const char *more)
{
  sink_format(sink, "  %-20s %s%s\n", form, help, more);
}

/* Lists ROWS, what there is to choose from, below TITLE. */
static void
write_choices(const char *title, const struct output *rows, struct sink *sink)
{
  sink_format(sink, "\n%s:\n", title);
  for (; rows->name != NULL; rows++)
    write_line(sink, rows->name, rows->help, "");
}

static void
write_program_help(struct sink *sink)
{
  sink_text(sink,
            "mprof shows what a program allocated: where, of which type, "
            "and on whose behalf.\n\n"
            "usage: ");
  help_usage(COMMAND_NONE, sink);
  sink_text(sink, "\n\nCommands:\n");
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (row->arguments != NULL)
      write_line(sink, row->name, row->help, "");
  sink_text(
      sink,
      "\nFILE is a profile (default: mprof.data); several files are added "
      "up.\n"
      "Any pprof heap profile will do, gzip-compressed or not.\n\n"
      "Exit status: 0 success, 1 failure, 2 wrong usage, 3 more growth than "
      "diff\nallows, 4 a leak found by run --fail-on-leak.\n");
}

static void
write_option(const struct option_row *row, struct sink *sink)
{
  const bool argument = row->argument != NULL;
  const char *between = row->name[1] == '\0'                  ? " "
                        : argument && row->argument[0] == '[' ? ""
                                                              : "=";
  write_line(
      sink,
      pool_format("%s%s%s%s", OPTION_DASHES(row->name), row->name,
                  argument ? between : "", argument ? row->argument : ""),
      row->help,
      row->help[strlen(row->help) - 1] == ' ' ? option_words(row) : "");
}

/* Writes the help on the command TOPIC, or on the program for any other. */
static void
help_write(enum command topic, struct sink *sink)
{
  if (command_row(topic)->run == NULL) {
    write_program_help(sink);
    return;
  }
  sink_text(sink, "usage: ");
  help_usage(topic, sink);
  sink_text(sink, "\n\nOptions, with one dash or two:\n");
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if ((row->commands >> topic & 1) != 0 && row->help != NULL)
      write_option(row, sink);
  if (topic == COMMAND_REPORT)
    write_choices("Tables, in this order (see 'mprof help tables')",
                  report_tables, sink);
  else if (topic == COMMAND_ADVISE)
    report_advice_rules(sink);
  else if (topic == COMMAND_DIFF)
    write_choices("Tables, in this order", diff_tables, sink);
  else if (topic == COMMAND_EXPORT) {
    write_choices("Formats", export_formats, sink);
    write_choices("Tables of csv", csv_tables, sink);
  }
}

/* ---- running ----------------------------------------------------------- */

void
outcome_cannot_write(struct outcome *outcome, const char *target,
                     int error_number)
{
  outcome->status = 1;
  outcome->error.code = MPROF_CANNOT_WRITE;
  mprof_line(outcome->error.message, "cannot write %s: %s", target,
             strerror(error_number));
}

struct command_line {
  int count;
  const char *const *arguments;
  const struct open_profile *open;
  struct sink *sink;
  const char *target;
  struct outcome *outcome;
};

static void
run(void *closure)
{
  const struct command_line *line = closure;
  struct outcome *outcome = line->outcome;
  struct sink *sink = line->sink;
  struct options options;
  options_parse(&options, line->count, line->arguments, line->open,
                &outcome->command);
  outcome->is_read = line->open != NULL && options.output == NULL;
  if (options.view.width == WIDTH_AUTOMATIC)
    options.view.width = options.output == NULL ? sink->line_width : 0;
  if (options.command == COMMAND_VERSION)
    sink_text(sink, "mprof " MPROF_VERSION "\n");
  else if (options.tables) {
    report_legends(sink);
    sink_text(sink, "\nTables of mprof diff:\n");
    diff_explain(NULL, sink);
  } else if (options.command == COMMAND_HELP)
    help_write(options.topic, sink);
  else
    command_row(options.command)->run(&options, sink, outcome);
  if (!sink_flush(sink))
    outcome_cannot_write(outcome, line->target, sink->error_number);
}

int
command_run(int count, const char *const *arguments,
            const struct open_profile *open, struct sink *sink,
            const char *target, struct outcome *outcome)
{
  struct command_line line = {count, arguments, open, sink, target, outcome};
  struct pool pool = {NULL, NULL};
  memset(outcome, 0, sizeof *outcome);
  if (!attempt(&pool, run, &line, &outcome->error) && outcome->status == 0)
    outcome->status = outcome->error.code == MPROF_USAGE ? 2 : 1;
  pool_release(&pool);
  return outcome->status;
}
