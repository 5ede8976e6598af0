/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of help: a form on the left, a few words on the right. */

#include "command/command.h"
#include "command/option_table.h"
#include "diff/diff.h"
#include "tables/output.h"

#include <stdio.h>
#include <string.h>

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

/* Lists what there is to choose from: names and help at FIRST, and every
 * STRIDE bytes after it. */
static void
write_choices(const char *title, const char *const *first,
              const char *const *help, size_t stride, struct sink *sink)
{
  const struct word_list names = {first, stride};
  const struct word_list texts = {help, stride};
  sink_format(sink, "\n%s:\n", title);
  for (size_t i = 0; word_of(&names, i) != NULL; i++)
    write_line(sink, word_of(&names, i), word_of(&texts, i), "");
}
#define WRITE_CHOICES(title, rows, sink)                                     \
  write_choices(title, &(rows)[0].name, &(rows)[0].help, sizeof(rows)[0],    \
                sink)

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
      write_line(sink, row->name, row->help, "");
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
  char words[WORDS_LENGTH] = "";
  const char *between = row->name[1] == '\0' ? " " : "=";
  bool argument = row->argument != NULL;
  snprintf(form, sizeof form, "%s%s%s%s", OPTION_DASHES(row->name), row->name,
           argument ? between : "", argument ? row->argument : "");
  if (row->help[strlen(row->help) - 1] == ' ')
    words_text(&row->words, row->kind->list ? " and " : " or ", words,
               sizeof words);
  write_line(sink, form, row->help, words);
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
    WRITE_CHOICES("Tables, in this order", report_tables, sink);
  else if (topic == COMMAND_DIFF)
    WRITE_CHOICES("Tables, in this order", diff_tables, sink);
  else if (topic == COMMAND_EXPORT) {
    WRITE_CHOICES("Formats", export_formats, sink);
    WRITE_CHOICES("Tables of csv", csv_tables, sink);
  }
}
