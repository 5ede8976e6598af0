/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of help: a form on the left, a few words on the right. */

#include "command/help.h"

#include "command/command_table.h"
#include "command/option_table.h"
#include "diff/diff.h"
#include "output.h"

#include <stdio.h>

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
write_line(struct sink *sink, const char *form, const char *help)
{
  sink_format(sink, "  %-20s %s\n", form, help);
}

static void
write_outputs(const char *title, const struct output *outputs,
              struct sink *sink)
{
  sink_format(sink, "\n%s:\n", title);
  for (; outputs->name != NULL; outputs++)
    write_line(sink, outputs->name, outputs->help);
}

static void
write_diff_tables(struct sink *sink)
{
  sink_text(sink, "\nTables, in this order:\n");
  for (const struct diff_output *table = diff_tables; table->name != NULL;
       table++)
    write_line(sink, table->name, table->help);
}

static void
write_program_help(struct sink *sink)
{
  sink_text(sink,
            "mprof shows what a program allocated: where, of which type, "
            "for whom.\n\n"
            "usage: ");
  help_usage(COMMAND_NONE, sink);
  sink_text(sink, "\n\nCommands:\n");
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (row->arguments != NULL)
      write_line(sink, row->name, row->help);
  sink_text(
      sink,
      "\nFILE is a profile, mprof.data when none is given; several are "
      "added up.\n"
      "Any gzip-compressed or plain pprof heap profile will do.\n\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 more growth than diff "
      "allows.\n");
}

static void
write_option(const struct option_row *row, struct sink *sink)
{
  char form[64];
  bool letter = row->name[1] == '\0';
  snprintf(form, sizeof form, "%s%s%s%s", letter ? "-" : "--", row->name,
           row->argument == NULL ? ""
           : letter              ? " "
                                 : "=",
           row->argument == NULL ? "" : row->argument);
  write_line(sink, form, row->help);
}

void
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
    if ((row->commands >> topic & 1) != 0)
      write_option(row, sink);
  if (topic == COMMAND_REPORT)
    write_outputs("Tables, in this order", report_tables, sink);
  else if (topic == COMMAND_DIFF)
    write_diff_tables(sink);
  else if (topic == COMMAND_EXPORT) {
    write_outputs("Formats", export_formats, sink);
    write_outputs("Tables of csv", csv_tables, sink);
  }
}
