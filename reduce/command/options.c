/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parsing.  An option is written with two dashes or, as the original mprof
 * had it, with one; its value follows after "=" or as the next argument. "--"
 * ends the options.
 */

#include "command/options.h"

#include "command/command_table.h"
#include "command/option_table.h"
#include "command/option_values.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum {
  NORMAL_SHARE = SHARE_WHOLE / 100,
  TERSE_SHARE = SHARE_WHOLE / 20,
  SHARE_UNSET = SHARE_WHOLE + 1
};

/* Arguments being parsed. */
struct parsing {
  struct options *options;
  const char *const *arguments;
  int count;
  int next;
  uint32_t detail_share;
  struct mprof_error *error;
};

/* Sets what the option ID says; VALUE is NULL for options without one. */
static bool
apply_option(struct parsing *parsing, enum option_id id, const char *value)
{
  struct options *options = parsing->options;
  struct mprof_error *error = parsing->error;
  switch (id) {
  case OPTION_VERBOSE:
    parsing->detail_share = 0;
    options->verbose = true;
    return true;
  case OPTION_NORMAL:
    parsing->detail_share = NORMAL_SHARE;
    options->verbose = false;
    return true;
  case OPTION_TERSE:
    parsing->detail_share = TERSE_SHARE;
    options->verbose = false;
    return true;
  case OPTION_LEAKTABLE:
    options->leaks = LEAKS_ON;
    return true;
  case OPTION_NOLEAKTABLE:
    options->leaks = LEAKS_OFF;
    return true;
  case OPTION_OFFSETS:
    options->offsets = true;
    return true;
  case OPTION_LINES:
    options->lines = true;
    return true;
  case OPTION_CALLERS:
    return parse_number(value, 1, "--callers takes a positive number, not",
                        &options->callers, error);
  case OPTION_OFF:
    options->off = true;
    break;
  case OPTION_UNFOLDED:
    options->unfolded = true;
    return true;
  case OPTION_QUIET:
    options->quiet = true;
    return true;
  case OPTION_SIGNAL:
    return parse_signal(value, &options->signal, error);
  case OPTION_AUTOSAVE:
    return parse_number(value, 0, "--autosave takes a number, not",
                        &options->autosave, error);
  case OPTION_TEMPORARY:
    return parse_number(value, 0, "--temporary takes a number, not",
                        &options->temporary, error);
  case OPTION_BUDGET:
    return parse_number(value, 1, "--budget takes a positive number, not",
                        &options->budget, error);
  case OPTION_TYPES:
    options->types = true;
    return true;
  case OPTION_PHASES:
    options->label_phases = true;
    return true;
  case OPTION_THREADS:
    options->label_threads = true;
    return true;
  case OPTION_HIDE_SYSTEM:
    options->select.hide_system = true;
    return true;
  case OPTION_SHOW_RUNTIME:
    options->select.show_runtime = true;
    return true;
  case OPTION_SHOW_ROOT:
    options->select.show_root = true;
    return true;
  case OPTION_NO_LEGEND:
    options->legend = false;
    return true;
  case OPTION_HELP:
    options->topic = options->command;
    options->command = COMMAND_HELP;
    return true;
  case OPTION_FOCUS:
    options->select.expressions[EXPRESSION_FOCUS] = value;
    return true;
  case OPTION_IGNORE:
    options->select.expressions[EXPRESSION_IGNORE] = value;
    return true;
  case OPTION_HIDE:
    options->select.expressions[EXPRESSION_HIDE] = value;
    return true;
  case OPTION_SHOW:
    options->select.expressions[EXPRESSION_SHOW] = value;
    return true;
  case OPTION_SHOW_FROM:
    options->select.expressions[EXPRESSION_SHOW_FROM] = value;
    return true;
  case OPTION_THREAD:
    options->select.thread = value;
    return true;
  case OPTION_REGION:
    options->select.region = value;
    return true;
  case OPTION_PHASE:
    return parse_phases(value, &options->select.phases, error);
  case OPTION_BY:
    return parse_granularity(value, &options->by, error);
  case OPTION_OUTPUT:
    options->output = value;
    return *value != '\0' ||
           usage_error(parsing->error, "-o takes a file, not", "");
  case OPTION_TABLES:
    return parse_tables(value, options->command, &options->tables, error);
  case OPTION_NORMALIZE:
    options->normalize = true;
    return true;
  case OPTION_FAIL_ABOVE:
    return parse_growth(value, &options->growth, &options->growth_text,
                        error);
  case OPTION_FAIL_ABOVE_FUNCTION:
    return parse_growth(value, &options->function_growth,
                        &options->function_growth_text, error);
  case OPTION_FAIL_ABOVE_KEPT:
    return parse_growth(value, &options->kept_growth,
                        &options->kept_growth_text, error);
  case OPTION_SORT:
    return parse_sort(value, &options->sort, error);
  case OPTION_LIMIT:
    return parse_number(value, 1, "--limit takes a positive number, not",
                        &options->limit, error);
  case OPTION_WIDTH:
    return parse_number(value, 0, "--width takes a number, not",
                        &options->width, error);
  case OPTION_MIN_WIDTH:
    return parse_number(value, 0, "--min-width takes a number, not",
                        &options->min_width, error);
  case OPTION_COLOR:
    return parse_color(value, &options->color, error);
  case OPTION_MIN_PERCENT:
    return parse_percent(value, &options->min_share, error);
  case OPTION_VALUE:
    return parse_measure(value, &options->value, error);
  case OPTION_FORMAT:
    options->format = output_find(export_formats, value, strlen(value));
    return options->format != NULL ||
           usage_error(parsing->error, "unknown format", value);
  case OPTION_TABLE:
    options->table = output_find(csv_tables, value, strlen(value));
    return options->table != NULL ||
           usage_error(parsing->error, "unknown table", value);
  }
  return true;
}

/* Parses the option ARGUMENT, which starts with a dash. */
static bool
parse_option(struct parsing *parsing, const char *argument)
{
  const char *name = argument + (argument[1] == '-' ? 2 : 1);
  size_t length = strcspn(name, "=");
  const struct option_row *row =
      option_find(name, length, parsing->options->command);
  if (row == NULL)
    return usage_error(parsing->error, "unknown option", argument);
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  if (row->argument == NULL && value != NULL)
    return usage_error(parsing->error, "no value belongs to", argument);
  if (row->argument != NULL && value == NULL) {
    if (parsing->next == parsing->count)
      return usage_error(parsing->error, "a value is missing after",
                         argument);
    value = parsing->arguments[parsing->next++];
  }
  return apply_option(parsing, row->id, value);
}

/* Finds the format of an export that names none: by the ending of the file
 * to write. */
static bool
choose_format(struct parsing *parsing)
{
  struct options *options = parsing->options;
  const char *path = options->output;
  if (path == NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "a format is missing: give --format=FORMAT");
  options->format = output_for_file(export_formats, path);
  if (options->format != NULL)
    return true;
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".svg") == 0)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "mprof graph draws the call graph as SVG");
  return usage_error(parsing->error,
                     "give --format=FORMAT, the name does not tell", path);
}

/* Whether what OPTIONS ask for has room for one measure alone. */
static bool
has_one_measure(const struct options *options)
{
  const struct output *format = options->format;
  if (options->command == COMMAND_FLAMEGRAPH && options->output != NULL)
    format = output_for_file(export_formats, options->output);
  if (options->command == COMMAND_EXPORT)
    return format->one_measure;
  return options->command != COMMAND_FLAMEGRAPH || format == NULL ||
         !format->flames;
}

/* What is settled when all arguments are known. */
static void
settle_measure(struct options *options)
{
  options->one_measure = has_one_measure(options);
  if (options->sort == SORT_DEFAULT && !measure_rows[options->value].bytes &&
      (options->command == COMMAND_REPORT ||
       options->command == COMMAND_DIFF))
    options->sort = SORT_ALLOCS;
}

static bool
parse_arguments(struct parsing *parsing)
{
  struct options *options = parsing->options;
  bool only_files = false;
  while (parsing->next < parsing->count && options->command != COMMAND_HELP) {
    const char *argument = parsing->arguments[parsing->next++];
    if (!only_files && strcmp(argument, "--") == 0) {
      only_files = true;
    } else if (!only_files && argument[0] == '-' && argument[1] != '\0') {
      if (!parse_option(parsing, argument))
        return false;
    } else {
      options->files[options->file_count++] = argument;
      only_files = only_files || options->command == COMMAND_RUN;
    }
  }
  if (options->min_share == SHARE_UNSET)
    options->min_share = parsing->detail_share;
  if (options->command == COMMAND_DIFF && options->file_count != 2)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "two profiles are compared, OLD and NEW; join "
                           "several files by commas");
  if (options->normalize && options->growth_text != NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "--normalize makes the totals equal, so that "
                           "--fail-above says nothing");
  if (options->kept_growth_text != NULL &&
      measure_rows[options->value].what != NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "with --value=%s nothing else is known: give "
                           "--fail-above in the place of --fail-above-kept",
                           measure_rows[options->value].word);
  if (options->command == COMMAND_MERGE && options->output == NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "a file to write is missing: give -o OUT");
  if (options->command == COMMAND_RUN && options->file_count == 0)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "no program to run is given");
  if (options->open != NULL && options->file_count > 0)
    return usage_error(parsing->error,
                       "a profile that is open is read, and not",
                       options->files[0]);
  if (options->command == COMMAND_MERGE && options->file_count == 0 &&
      options->open == NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "no files to merge are given");
  if (options->command == COMMAND_EXPORT && options->format == NULL &&
      !choose_format(parsing))
    return false;
  settle_measure(options);
  return true;
}

bool
options_parse(struct options *options, int count,
              const char *const *arguments, const struct open_profile *open,
              struct mprof_error *error)
{
  struct parsing parsing = {.options = options,
                            .arguments = arguments,
                            .count = count,
                            .next = 1,
                            .detail_share = NORMAL_SHARE,
                            .error = error};
  memset(options, 0, sizeof *options);
  options->open = open;
  if (open != NULL) {
    options->select.samples = open->samples;
    options->select.sample_count = open->sample_count;
  }
  options->min_share = SHARE_UNSET;
  options->limit = SIZE_MAX;
  options->legend = true;
  options->callers = DEFAULT_CALLERS;
  options->autosave = options->budget = options->temporary = SIZE_MAX;
  options->width = WIDTH_AUTOMATIC;
  options->min_width = WIDTH_AUTOMATIC;
  if (count < 1)
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "no command given");
  options->command = command_find(arguments[0]);
  if (options->command == COMMAND_NONE)
    return usage_error(
        error, arguments[0][0] == '-' ? "unknown option" : "unknown command",
        arguments[0]);
  if (options->command == COMMAND_VERSION)
    return true;
  if (options->command == COMMAND_HELP) {
    if (count > 1)
      options->topic = command_find(arguments[1]);
    return count == 1 || command_row(options->topic)->run != NULL ||
           usage_error(error, "no help on", arguments[1]);
  }
  options->files = calloc((size_t)count, sizeof *options->files);
  if (options->files == NULL)
    return mprof_error_memory(error);
  return parse_arguments(&parsing);
}

void
options_release(struct options *options)
{
  free(options->files);
  memset(options, 0, sizeof *options);
}
