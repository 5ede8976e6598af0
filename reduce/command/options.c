/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parsing.  An option is written with two dashes or, as the original mprof
 * had it, with one; its value follows after "=" or as the next argument. "--"
 * ends the options.
 */

#include "command/command.h"

#include "base/suggestion.h"
#include "tables/output.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_UNSET = SHARE_WHOLE + 1 };

/* Arguments being parsed. */
struct parsing {
  struct options *options;
  const char *const *arguments;
  int count;
  int next;
  const struct option_row **given; /* rows of options, one for each option */
  size_t given_count;
};

static const struct options defaults = {
    .view = {.min_share = SHARE_UNSET,
             .limit = SIZE_MAX,
             .legend = true,
             .callers = DEFAULT_CALLERS,
             .width = WIDTH_AUTOMATIC},
    .run = {.budget = SIZE_MAX,
            .temporary = SIZE_MAX,
            .process = SIZE_MAX,
            .every = SIZE_MAX,
            .seconds = SIZE_MAX},
};

/* Says that ARGUMENT, whose name has LENGTH bytes at NAME, is unknown. */
static _Noreturn void
refuse_option(const struct parsing *parsing, const char *argument,
              const char *name, size_t length)
{
  struct suggestion meant = suggestion_for(name, length);
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if ((row->commands >> parsing->options->command & 1) != 0 &&
        row->help != NULL)
      suggestion_offer(&meant, row->name);
  const char *dashes = meant.word == NULL ? "" : OPTION_DASHES(meant.word);
  fail_with(MPROF_USAGE, "unknown option '%s'%s", argument,
            suggestion_text(&meant, dashes));
}

/* Parses the option ARGUMENT, which starts with a dash. */
static void
parse_option(struct parsing *parsing, const char *argument)
{
  const char *name = argument + (argument[1] == '-' ? 2 : 1);
  size_t length = strcspn(name, "=");
  const struct option_row *row =
      option_find(name, length, parsing->options->command);
  if (row == NULL)
    refuse_option(parsing, argument, name, length);
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  if (row->argument == NULL && value != NULL)
    fail_with(MPROF_USAGE, "option '%.*s' takes no value",
              (int)strcspn(argument, "="), argument);
  if (row->argument != NULL && row->argument[0] != '[' && value == NULL) {
    /* A program that has opened a profile writes values behind "=". */
    if (parsing->next == parsing->count || parsing->options->open != NULL)
      fail_with(MPROF_USAGE, "option '%s' requires a value", argument);
    value = parsing->arguments[parsing->next++];
  }
  row->store(&(struct option_value){row, value,
                                    (char *)parsing->options + row->field});
  parsing->given[parsing->given_count++] = row;
}

static void
parse_arguments(struct parsing *parsing)
{
  struct options *options = parsing->options;
  bool only_files = false;
  while (parsing->next < parsing->count && !options->help) {
    const char *argument = parsing->arguments[parsing->next++];
    if (!only_files && strcmp(argument, "--") == 0) {
      only_files = true;
    } else if (!only_files && argument[0] == '-' && argument[1] != '\0') {
      parse_option(parsing, argument);
    } else {
      options->files[options->file_count++] = argument;
      only_files = only_files || options->command == COMMAND_RUN;
    }
  }
}

/* ---- what is settled when all arguments are known ---------------------- */

/* Whether PATH has one of ENDINGS, each with a blank after it. */
static bool
has_ending(const char *path, const char *endings)
{
  size_t length = strlen(path);
  for (; *endings != '\0'; endings += strcspn(endings, " ") + 1) {
    size_t ending = strcspn(endings, " ");
    if (length > ending &&
        memcmp(path + length - ending, endings, ending) == 0)
      return true;
  }
  return false;
}

/* Fails where the file to write is named as if it were of a format that the
 * command does not write.  No name at all tells against text, or the like. */
static void
check_ending(const struct options *options)
{
  static const char pictures[] = ".svg .png .pdf .jpg .jpeg .gif .ps ";
  const struct command_row *row = command_row(options->command);
  const char *path = options->output;
  if (path != NULL && row->endings != NULL &&
      !has_ending(path, row->endings) &&
      (has_ending(path, pictures) ||
       output_for_file(export_formats, path) != NULL))
    fail_with(MPROF_USAGE, "mprof %s writes %s, not '%s'", row->name,
              row->writes, path);
}

/* Chooses the format of an export by the file to write, where no option does.
 */
static void
choose_format(struct options *options)
{
  static const char page[] = "html";
  const char *path = options->output;
  if (options->command == COMMAND_FLAMEGRAPH)
    options->format = output_find(export_formats, page, strlen(page));
  if (options->command != COMMAND_EXPORT || options->format != NULL)
    return;
  if (path == NULL)
    fail_with(MPROF_USAGE, "no format given; use --format=FORMAT");
  if ((options->format = output_for_file(export_formats, path)) != NULL)
    return;
  if (has_ending(path, ".svg "))
    fail_with(MPROF_USAGE, "use mprof graph to draw the call graph as SVG");
  fail_with(MPROF_USAGE,
            "the name '%s' does not imply a format; use --format=FORMAT",
            path);
}

/* Fails where an option was given that the chosen format takes no notice of.
 */
static void
check_format(const struct parsing *parsing)
{
  static const char other[] = "not ";
  const struct output *format = parsing->options->format;
  for (size_t i = 0; format != NULL && i < parsing->given_count; i++) {
    const struct option_row *row = parsing->given[i];
    if (row->formats == NULL)
      continue;
    const bool but = strncmp(row->formats, other, sizeof other - 1) == 0;
    if ((strstr(row->formats, format->name) != NULL) != but)
      continue;
    if (but)
      fail_with(MPROF_USAGE, "--%s is not for %s", row->name, format->name);
    fail_with(MPROF_USAGE, "--%s is for %s, not for %s", row->name,
              row->formats, format->name);
  }
}

/* Says what does not go together, or lacks. */
static void
check(const struct options *options)
{
  const struct run_options *run = &options->run;
  const size_t count = options->file_count;
  const bool open = options->open != NULL;
  const bool merges = options->command == COMMAND_MERGE;
  const bool runs = options->command == COMMAND_RUN;
  const bool attaches = runs && run->process != SIZE_MAX;
  const struct {
    bool broken;
    const char *rule;
  } rules[] = {
      {options->command == COMMAND_DIFF && count != 2,
       "diff takes two profiles, OLD and NEW; join several files of one with "
       "commas"},
      {options->diff.normalize && options->diff.limits.any[GROWTH_OF_TOTAL],
       "--normalize cannot be combined with a limit of the total: it makes "
       "the totals equal"},
      {merges && options->output == NULL,
       "no file to write given; use -o OUT"},
      {runs && options->view.suppressions != NULL && run->leaks.text == NULL,
       "--suppressions requires --fail-on-leak"},
      {runs && !attaches && count == 0, "no program given"},
      {runs && !attaches && run->seconds != SIZE_MAX,
       "--seconds requires --pid=PID"},
      {attaches && count > 0,
       "--pid cannot be combined with a program to run"},
      {attaches && (run->off || run->signal != NULL || run->only != NULL ||
                    run->children != CHILDREN_TRACED),
       "--pid cannot be combined with --off, --signal, --only or "
       "--trace-children"},
      {attaches && (run->reachable || run->leaks.text != NULL),
       "--pid cannot be combined with --reachable or --fail-on-leak: earlier "
       "allocations are unknown"},
      {options->command == COMMAND_TOP && (count != 1 || open),
       "top takes one process or file"},
      {merges && count == 0 && !open, "no files to merge given"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].broken)
      fail_with(MPROF_USAGE, "%s", rules[i].rule);
  if (options->diff.limits.any[GROWTH_OF_KEPT] &&
      measure_rows[options->view.value].what != NULL)
    fail_with(
        MPROF_USAGE,
        "a limit kept:N cannot be combined with --value=%s; leave out kept:",
        measure_rows[options->view.value].word);
  if (open && count > 0)
    fail_with(MPROF_USAGE, "input is the open profile; '%s' is not accepted",
              options->files[0]);
  check_ending(options);
}

static void
settle(struct options *options)
{
  static const uint32_t shares[] = {[DETAIL_NORMAL] = SHARE_WHOLE / 100,
                                    [DETAIL_TERSE] = SHARE_WHOLE / 20,
                                    [DETAIL_VERBOSE] = 0};
  bool tables =
      options->command == COMMAND_REPORT || options->command == COMMAND_DIFF;
  options->view.files = options->files;
  options->view.file_count = options->file_count;
  options->run.reachable =
      options->run.reachable || options->run.leaks.text != NULL;
  options->view.verbose = options->detail == DETAIL_VERBOSE;
  if (options->view.min_share == SHARE_UNSET)
    options->view.min_share = shares[options->detail];
  const struct measure_row *value = &measure_rows[options->view.value];
  options->view.value = value->bytes ? value->as_bytes : value->as_allocs;
  options->view.leaks_only =
      options->format != NULL && options->format->leaks_only;
  options->view.one_measure =
      options->format == NULL || options->format->one_measure;
  if (tables && options->view.sort == SORT_DEFAULT &&
      !measure_rows[options->view.value].bytes)
    options->view.sort = SORT_ALLOCS;
}

/* Lets the output "-" be standard output, as it is without -o.  mprof merge
 * needs to be told.  Fails for mprof run, whose program has it. */
static void
settle_output(struct options *options)
{
  if (options->output == NULL || strcmp(options->output, "-") != 0)
    return;
  if (options->command == COMMAND_RUN)
    fail_with(MPROF_USAGE, "-o - is not for mprof run, whose program writes "
                           "to standard output; ./- is a file");
  if (options->command != COMMAND_MERGE)
    options->output = NULL;
}

/* Parses what follows the name of a command. */
static void
parse_command(struct parsing *parsing)
{
  struct options *options = parsing->options;
  options->files =
      pool_zeroed((size_t)parsing->count, sizeof *options->files);
  parsing->given =
      pool_zeroed((size_t)parsing->count, sizeof *parsing->given);
  parse_arguments(parsing);
  if (options->help) {
    options->topic = options->command;
    options->command = COMMAND_HELP;
    return;
  }
  settle_output(options);
  check(options);
  choose_format(options);
  if (options->base != NULL &&
      (options->format == NULL || !options->format->compares))
    fail_with(MPROF_USAGE, "--base requires -o NAME.html or --format=heap; "
                           "mprof diff compares in "
                           "tables");
  check_format(parsing);
  settle(options);
}

/* Says that NAME is not the name of a WHAT. */
static _Noreturn void
refuse_command(const char *what, const char *name)
{
  struct suggestion meant = suggestion_for(name, strlen(name));
  for (const struct command_row *row = command_rows; row->name != NULL; row++)
    if (row->arguments != NULL)
      suggestion_offer(&meant, row->name);
  fail_with(MPROF_USAGE, "%s '%s'%s", what, name,
            suggestion_text(&meant, ""));
}

void
options_parse(struct options *options, int count,
              const char *const *arguments, const struct open_profile *open,
              enum command *command)
{
  struct parsing parsing = {options, arguments, count, 1};
  *options = defaults;
  options->open = open;
  if (open != NULL) {
    options->view.select.samples = open->samples;
    options->view.select.sample_count = open->sample_count;
  }
  if (count < 1)
    fail_with(MPROF_USAGE, "no command given");
  *command = options->command = command_find(arguments[0]);
  const int most = options->command == COMMAND_HELP      ? 2
                   : options->command == COMMAND_VERSION ? 1
                                                         : count;
  if (count > most)
    fail_with(MPROF_USAGE, "%s does not take '%s'", arguments[0],
              arguments[most]);
  switch (options->command) {
  case COMMAND_NONE:
    refuse_command(arguments[0][0] == '-' ? "unknown option"
                                          : "unknown command",
                   arguments[0]);
  case COMMAND_VERSION:
    break;
  case COMMAND_HELP:
    if (count > 1)
      options->topic = command_find(arguments[1]);
    options->tables = count > 1 && strcmp(arguments[1], "tables") == 0;
    if (count > 1 && !options->tables &&
        command_row(options->topic)->run == NULL)
      refuse_command("no help for", arguments[1]);
    break;
  default:
    parse_command(&parsing);
  }
}
