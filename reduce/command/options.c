/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parsing.  An option is written with two dashes or, as the original mprof
 * had it, with one; its value follows after "=" or as the next argument. "--"
 * ends the options.
 */

#include "command/options.h"

#include "command/command_table.h"
#include "command/option_table.h"
#include "diff/diff.h"
#include "output.h"
#include "profile/phase.h"

#include <errno.h>
#include <stdio.h>
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

static bool
usage_error(struct parsing *parsing, const char *what, const char *argument)
{
  return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                         "%s '%s'", what, argument);
}

/* Digits with up to four decimals, at most 100, as millionths. */
static bool
parse_percent(struct parsing *parsing, const char *text, uint32_t *share)
{
  uint32_t value = 0;
  int decimals = -1;
  const char *c = text;
  for (; *c != '\0' && value <= SHARE_WHOLE && decimals < 4; c++) {
    if (*c == '.' && decimals < 0) {
      decimals = 0;
    } else if (*c >= '0' && *c <= '9') {
      value = value * 10 + (uint32_t)(*c - '0');
      decimals += decimals >= 0;
    } else {
      break;
    }
  }
  for (int i = decimals < 0 ? 0 : decimals; i < 4 && value <= SHARE_WHOLE;
       i++)
    value *= 10;
  if (*c != '\0' || value > SHARE_WHOLE ||
      strpbrk(text, "0123456789") == NULL)
    return usage_error(parsing, "--min-percent takes a number up to 100, not",
                       text);
  *share = value;
  return true;
}

/* Reads digits, a number of at least LEAST; WRONG is what else to say. */
static bool
parse_number(struct parsing *parsing, const char *text, size_t least,
             const char *wrong, size_t *number)
{
  errno = 0;
  size_t length = strlen(text);
  unsigned long long value = strtoull(text, NULL, 10);
  if (length == 0 || strspn(text, "0123456789") != length || errno != 0 ||
      value < least || value >= SIZE_MAX)
    return usage_error(parsing, wrong, text);
  *number = (size_t)value;
  return true;
}

/* The number of the table called by the first LENGTH bytes of NAME, -1 when
 * there is none. */
static int
find_table(const struct options *options, const char *name, size_t length)
{
  if (options->command == COMMAND_DIFF) {
    for (int i = 0; diff_tables[i].name != NULL; i++)
      if (strlen(diff_tables[i].name) == length &&
          memcmp(diff_tables[i].name, name, length) == 0)
        return i;
    return -1;
  }
  const struct output *table = output_find(report_tables, name, length);
  return table == NULL ? -1 : (int)(table - report_tables);
}

static bool
parse_tables(struct parsing *parsing, const char *text)
{
  for (;;) {
    size_t length = strcspn(text, ",");
    int table = find_table(parsing->options, text, length);
    if (table < 0)
      return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                             "unknown table '%.*s'", (int)length, text);
    parsing->options->tables |= UINT64_C(1) << table;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

static bool
parse_growth(struct parsing *parsing, const char *text,
             struct growth_limits *limits, const char **given)
{
  *given = text;
  return growth_limits_parse(limits, text) ||
         usage_error(parsing,
                     "growth is limited by N%, Nallocs, N%allocs, or N with "
                     "a unit such as KiB or MiB, not by",
                     text);
}

static bool
parse_phases(struct parsing *parsing, const char *text)
{
  parsing->options->phases = 0;
  for (;;) {
    size_t length = strcspn(text, ",");
    enum phase phase = phase_of_word(text, length);
    if (phase == PHASE_COUNT)
      return mprof_error_set(
          parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
          "--phase takes compile, load, eval and run, not '%.*s'",
          (int)length, text);
    parsing->options->phases |= 1u << phase;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

static bool
parse_granularity(struct parsing *parsing, const char *text)
{
  static const char *const names[] = {
      [BY_FUNCTION] = "function", [BY_LINE] = "line",   [BY_FILE] = "file",
      [BY_PACKAGE] = "package",   [BY_CLASS] = "class",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(text, names[i]) == 0) {
      parsing->options->by = (enum granularity)i;
      return true;
    }
  return usage_error(parsing,
                     "--by takes function, line, file, package or class, not",
                     text);
}

static bool
parse_color(struct parsing *parsing, const char *text)
{
  static const char *const names[] = {[COLOR_AUTOMATIC] = "auto",
                                      [COLOR_ALWAYS] = "always",
                                      [COLOR_NEVER] = "never"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(text, names[i]) == 0) {
      parsing->options->color = (enum color_choice)i;
      return true;
    }
  return usage_error(parsing, "--color takes auto, always or never, not",
                     text);
}

static bool
parse_sort(struct parsing *parsing, const char *text)
{
  static const char *const names[] = {
      [SORT_BYTES] = "bytes",         [SORT_ALLOCS] = "allocs",
      [SORT_CALLS] = "calls",         [SORT_SELF] = "self",
      [SORT_INCLUSIVE] = "inclusive", [SORT_KEPT] = "kept",
      [SORT_NAME] = "name",
  };
  for (size_t i = SORT_BYTES; i <= SORT_NAME; i++)
    if (strcmp(text, names[i]) == 0) {
      parsing->options->sort = (enum sort_key)i;
      return true;
    }
  return usage_error(parsing,
                     "--sort takes bytes, allocs, calls, self, inclusive, "
                     "kept or name, not",
                     text);
}

/* Sets what the option ID says; VALUE is NULL for options without one. */
static bool
apply_option(struct parsing *parsing, enum option_id id, const char *value)
{
  struct options *options = parsing->options;
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
    options->hide_system = true;
    return true;
  case OPTION_SHOW_RUNTIME:
    options->show_runtime = true;
    return true;
  case OPTION_SHOW_ROOT:
    options->show_root = true;
    return true;
  case OPTION_NO_LEGEND:
    options->legend = false;
    return true;
  case OPTION_HELP:
    options->topic = options->command;
    options->command = COMMAND_HELP;
    return true;
  case OPTION_FOCUS:
    options->focus = value;
    return true;
  case OPTION_IGNORE:
    options->ignore = value;
    return true;
  case OPTION_HIDE:
    options->hide = value;
    return true;
  case OPTION_THREAD:
    options->thread = value;
    return true;
  case OPTION_SAMPLES:
    options->samples = value;
    return true;
  case OPTION_PHASE:
    return parse_phases(parsing, value);
  case OPTION_BY:
    return parse_granularity(parsing, value);
  case OPTION_OUTPUT:
    options->output = value;
    return *value != '\0' || usage_error(parsing, "-o takes a file, not", "");
  case OPTION_TABLES:
    return parse_tables(parsing, value);
  case OPTION_NORMALIZE:
    options->normalize = true;
    return true;
  case OPTION_FAIL_ABOVE:
    return parse_growth(parsing, value, &options->growth,
                        &options->growth_text);
  case OPTION_FAIL_ABOVE_FUNCTION:
    return parse_growth(parsing, value, &options->function_growth,
                        &options->function_growth_text);
  case OPTION_SORT:
    return parse_sort(parsing, value);
  case OPTION_LIMIT:
    return parse_number(parsing, value, 1,
                        "--limit takes a positive number, not",
                        &options->limit);
  case OPTION_WIDTH:
    return parse_number(parsing, value, 0, "--width takes a number, not",
                        &options->width);
  case OPTION_COLOR:
    return parse_color(parsing, value);
  case OPTION_MIN_PERCENT:
    return parse_percent(parsing, value, &options->min_share);
  case OPTION_VALUE:
    options->value =
        strcmp(value, "allocs") == 0 ? MEASURE_ALLOCS : MEASURE_BYTES;
    return options->value == MEASURE_ALLOCS || strcmp(value, "bytes") == 0 ||
           usage_error(parsing, "--value takes bytes or allocs, not", value);
  case OPTION_FORMAT:
    options->format = output_find(export_formats, value, strlen(value));
    return options->format != NULL ||
           usage_error(parsing, "unknown format", value);
  case OPTION_TABLE:
    options->table = output_find(csv_tables, value, strlen(value));
    return options->table != NULL ||
           usage_error(parsing, "unknown table", value);
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
    return usage_error(parsing, "unknown option", argument);
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  if (row->argument == NULL && value != NULL)
    return usage_error(parsing, "no value belongs to", argument);
  if (row->argument != NULL && value == NULL) {
    if (parsing->next == parsing->count)
      return usage_error(parsing, "a value is missing after", argument);
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
  return usage_error(parsing, "give --format=FORMAT, the name does not tell",
                     path);
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
  if (options->command == COMMAND_MERGE && options->output == NULL)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "a file to write is missing: give -o OUT");
  if (options->command == COMMAND_MERGE && options->file_count == 0)
    return mprof_error_set(parsing->error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "no files to merge are given");
  return options->command != COMMAND_EXPORT || options->format != NULL ||
         choose_format(parsing);
}

bool
options_parse(struct options *options, int count,
              const char *const *arguments, struct mprof_error *error)
{
  struct parsing parsing = {.options = options,
                            .arguments = arguments,
                            .count = count,
                            .next = 1,
                            .detail_share = NORMAL_SHARE,
                            .error = error};
  memset(options, 0, sizeof *options);
  options->min_share = SHARE_UNSET;
  options->limit = SIZE_MAX;
  options->legend = true;
  options->width = WIDTH_AUTOMATIC;
  if (count < 1)
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "no command given");
  options->command = command_find(arguments[0]);
  if (options->command == COMMAND_NONE)
    return usage_error(&parsing,
                       arguments[0][0] == '-' ? "unknown option"
                                              : "unknown command",
                       arguments[0]);
  if (options->command == COMMAND_VERSION)
    return true;
  if (options->command == COMMAND_HELP) {
    if (count > 1)
      options->topic = command_find(arguments[1]);
    return count == 1 || command_row(options->topic)->run != NULL ||
           usage_error(&parsing, "no help on", arguments[1]);
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
