/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parsing, by getopt_long_only.  An option is written with two dashes or, as
 * the original mprof had it, with one, and in full; its value follows after
 * "=" or as the next argument.  "--" ends the options.
 */

#include "command/command.h"

#include "base/names.h"
#include "tables/output.h"

#include <getopt.h>
#include <pthread.h>

enum { SHARE_UNSET = SHARE_WHOLE + 1, FIRST_ROW = UINT8_MAX + 1 };

/* Arguments being parsed. */
struct parsing {
  struct options *options;
  const char *const *arguments;
  int count;
  int next;
  struct option *rows; /* of the command; val: FIRST_ROW + place */
  const struct option_row **given; /* rows of options, one for each option */
  size_t given_count;
};

static const struct options defaults = {
    .detail = SHARE_WHOLE / 100,
    .view = {.min_share = SHARE_UNSET,
             .limit = SIZE_MAX,
             .legend = true,
             .callers = DEFAULT_CALLERS,
             .width = WIDTH_AUTOMATIC},
};

/* Returns what getopt_long_only is told of the value of ROW. */
static int
value_of(const struct option_row *row)
{
  return row->argument == NULL     ? no_argument
         : row->argument[0] == '[' ? optional_argument
                                   : required_argument;
}

/* Returns whether the command has the option ROW. */
static bool
is_of(const struct parsing *parsing, const struct option_row *row)
{
  return (row->commands >> parsing->options->command & 1) != 0;
}

/* Options of other profilers, and what stands for them here. */
static const struct habit option_habits[] = {
    {"output", "o"},  {"out", "o"},         {"n", "limit"},
    {"top", "limit"}, {"lines", "by=line"}, {"leaks", "tables=leaks"},
    {NULL, NULL}};

/* Says that ARGUMENT, an option called NAME, is unknown. */
static _Noreturn void
refuse_option(const struct parsing *parsing, const char *argument,
              const char *name)
{
  struct suggestion meant = suggestion_for(name, strcspn(name, "="));
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if (is_of(parsing, row) && row->help != NULL)
      suggestion_offer(&meant, row->name);
  suggestion_by_habit(&meant, option_habits);
  const char *dashes = meant.word == NULL ? "" : OPTION_DASHES(meant.word);
  fail_with(MPROF_USAGE, "unknown option '%s'%s", argument,
            suggestion_text(&meant, dashes));
}

/* Parses the next argument.  Returns false at the end of the options. */
static bool
parse_argument(struct parsing *parsing)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of getopt */
  struct options *options = parsing->options;
  const char *const *arguments = &parsing->arguments[parsing->next - 1];
  if (parsing->next == parsing->count)
    return false;
  const char *argument = arguments[1];
  pthread_mutex_lock(&lock);
  opterr = optind = 0;
  const int code = getopt_long_only(parsing->count - parsing->next + 1,
                                    (char *const *)(uintptr_t)arguments,
                                    "-:", parsing->rows, NULL);
  const int place = (code < FIRST_ROW ? optopt : code) - FIRST_ROW;
  /* A program that has opened a profile writes values behind "=". */
  const char *value = optind > 2 && options->open != NULL ? NULL : optarg;
  parsing->next += optind - 1;
  pthread_mutex_unlock(&lock);
  if (code == 1)
    options->files[options->file_count++] = argument;
  if (code == -1 || code == 1)
    return code == 1 && options->command != COMMAND_RUN;
  const char *name = argument + (argument[1] == '-' ? 2 : 1);
  const struct option_row *row = &option_rows[place < 0 ? 0 : place];
  if (place < 0 || strlen(row->name) != strcspn(name, "="))
    refuse_option(parsing, argument, name);
  if (code == '?')
    fail_with(MPROF_USAGE, "option '%.*s' takes no value",
              (int)strcspn(argument, "="), argument);
  if (value == NULL && value_of(row) == required_argument)
    fail_with(MPROF_USAGE, "option '%s' requires a value", argument);
  row->store(
      &(struct option_value){row, value, (char *)options + row->field});
  parsing->given[parsing->given_count++] = row;
  return !options->help;
}

static void
parse_arguments(struct parsing *parsing)
{
  struct options *options = parsing->options;
  size_t count = 0, capacity = 0;
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if (is_of(parsing, row))
      ARRAY_PUSH(parsing->rows, count, capacity,
                 (struct option){row->name, value_of(row), NULL,
                                 FIRST_ROW + (int)(row - option_rows)});
  ARRAY_PUSH(parsing->rows, count, capacity, (struct option){0});
  while (parse_argument(parsing))
    continue;
  while (parsing->next < parsing->count)
    options->files[options->file_count++] =
        parsing->arguments[parsing->next++];
}

/* ---- what is settled when all arguments are known ---------------------- */

/* Fails where the file to write is named as if it were of a format that the
 * command does not write.  No name at all tells against text, or the like. */
static void
check_ending(const struct options *options)
{
  static const char pictures[] = ".svg .png .pdf .jpg .jpeg .gif .ps ";
  const struct command_row *row = command_row(options->command);
  const char *path = options->output;
  if (path != NULL && row->endings != NULL &&
      file_ending(path, row->endings) == 0 &&
      (file_ending(path, pictures) > 0 ||
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
  if (file_ending(path, ".svg ") > 0)
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
  const bool attaches = runs && run->process != 0;
  const bool times = selection_is_of_time(&options->view.select);
  const struct measure_row *value = &measure_rows[options->view.value];
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
      {options->view.select.at != 0 &&
           (options->view.select.from | options->view.select.to) != 0,
       "--at cannot be combined with --from or --to"},
      {times && options->diff.limits.any[GROWTH_OF_KEPT],
       "a limit kept:N cannot be combined with --from, --to or --at"},
      {merges && options->output == NULL,
       "no file to write given; use -o OUT"},
      {runs && options->view.suppressions != NULL && run->leaks.text == NULL,
       "--suppressions requires --fail-on-leak"},
      {runs && !attaches && count == 0, "no program given"},
      {runs && !attaches && run->seconds != 0,
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
  if (times && value->what != NULL)
    fail_with(MPROF_USAGE,
              "--value=%s cannot be combined with --from, --to or --at",
              value->word);
  if (options->diff.limits.any[GROWTH_OF_KEPT] && value->what != NULL)
    fail_with(
        MPROF_USAGE,
        "a limit kept:N cannot be combined with --value=%s; leave out kept:",
        value->word);
  if (open && count > 0)
    fail_with(MPROF_USAGE, "input is the open profile; '%s' is not accepted",
              options->files[0]);
  check_ending(options);
}

static void
settle(struct options *options)
{
  bool tables =
      options->command == COMMAND_REPORT || options->command == COMMAND_DIFF;
  options->view.files = options->files;
  options->view.file_count = options->file_count;
  options->run.reachable =
      options->run.reachable || options->run.leaks.text != NULL;
  options->view.verbose = options->detail == 0;
  if (options->view.min_share == SHARE_UNSET)
    options->view.min_share = options->detail;
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

void
options_parse(struct options *options, int count,
              const char *const *arguments, const struct open_profile *open,
              enum command *command)
{
  struct parsing parsing = {options, arguments, count, 1, NULL, NULL, 0};
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
    command_refuse(arguments[0][0] == '-' ? "unknown option"
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
      command_refuse("no help for", arguments[1]);
    break;
  default:
    parse_command(&parsing);
  }
}
