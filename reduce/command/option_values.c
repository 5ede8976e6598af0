/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Words are looked up in tables by their enumeration. */

#include "command/option_values.h"

#include "diff/diff.h"
#include "output.h"
#include "common/phase.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool
usage_error(struct mprof_error *error, const char *what, const char *argument)
{
  return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET, "%s '%s'", what,
                         argument);
}

bool
parse_percent(const char *text, uint32_t *share, struct mprof_error *error)
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
    return usage_error(error, "--min-percent takes a number up to 100, not",
                       text);
  *share = value;
  return true;
}

bool
parse_number(const char *text, size_t least, const char *wrong,
             size_t *number, struct mprof_error *error)
{
  errno = 0;
  size_t length = strlen(text);
  unsigned long long value = strtoull(text, NULL, 10);
  if (length == 0 || strspn(text, "0123456789") != length || errno != 0 ||
      value < least || value >= SIZE_MAX)
    return usage_error(error, wrong, text);
  *number = (size_t)value;
  return true;
}

/* The place of TEXT among COUNT WORDS, of which some may be NULL; COUNT when
 * it is none, and then ERROR says what is WRONG. */
static size_t
find_word(const char *text, const char *const *words, size_t count,
          const char *wrong, struct mprof_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (words[i] != NULL && strcmp(text, words[i]) == 0)
      return i;
  usage_error(error, wrong, text);
  return count;
}

bool
parse_granularity(const char *text, enum granularity *by,
                  struct mprof_error *error)
{
  static const char *const words[] = {
      [BY_FUNCTION] = "function", [BY_LINE] = "line",   [BY_FILE] = "file",
      [BY_PACKAGE] = "package",   [BY_CLASS] = "class",
  };
  enum { COUNT = sizeof words / sizeof words[0] };
  size_t word = find_word(
      text, words, COUNT,
      "--by takes function, line, file, package or class, not", error);
  *by = (enum granularity)word;
  return word < COUNT;
}

bool
parse_color(const char *text, enum color_choice *color,
            struct mprof_error *error)
{
  static const char *const words[] = {[COLOR_AUTOMATIC] = "auto",
                                      [COLOR_ALWAYS] = "always",
                                      [COLOR_NEVER] = "never"};
  enum { COUNT = sizeof words / sizeof words[0] };
  size_t word = find_word(text, words, COUNT,
                          "--color takes auto, always or never, not", error);
  *color = (enum color_choice)word;
  return word < COUNT;
}

bool
parse_sort(const char *text, enum sort_key *sort, struct mprof_error *error)
{
  static const char *const words[] = {
      [SORT_BYTES] = "bytes",         [SORT_ALLOCS] = "allocs",
      [SORT_CALLS] = "calls",         [SORT_SELF] = "self",
      [SORT_INCLUSIVE] = "inclusive", [SORT_KEPT] = "kept",
      [SORT_PEAK] = "peak",           [SORT_TEMPORARY] = "temporary",
      [SORT_NAME] = "name",
  };
  enum { COUNT = sizeof words / sizeof words[0] };
  size_t word = find_word(text, words, COUNT,
                          "--sort takes bytes, allocs, calls, self, "
                          "inclusive, kept, peak, temporary or name, not",
                          error);
  *sort = (enum sort_key)word;
  return word < COUNT;
}

bool
parse_measure(const char *text, enum measure *measure,
              struct mprof_error *error)
{
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (strcmp(text, measure_rows[i].word) == 0) {
      *measure = (enum measure)i;
      return true;
    }
  return usage_error(error,
                     "--value takes bytes, allocs, kept, kept-allocs, peak, "
                     "peak-allocs or temporary, not",
                     text);
}

/* The number of the table of COMMAND called by the first LENGTH bytes of
 * NAME, -1 when there is none. */
static int
find_table(enum command command, const char *name, size_t length)
{
  if (command == COMMAND_DIFF) {
    for (int i = 0; diff_tables[i].name != NULL; i++)
      if (strlen(diff_tables[i].name) == length &&
          memcmp(diff_tables[i].name, name, length) == 0)
        return i;
    return -1;
  }
  const struct output *table = output_find(report_tables, name, length);
  return table == NULL ? -1 : (int)(table - report_tables);
}

bool
parse_tables(const char *text, enum command command, uint64_t *tables,
             struct mprof_error *error)
{
  for (;;) {
    size_t length = strcspn(text, ",");
    int table = find_table(command, text, length);
    if (table < 0)
      return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                             "unknown table '%.*s'", (int)length, text);
    *tables |= UINT64_C(1) << table;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

bool
parse_phases(const char *text, unsigned *phases, struct mprof_error *error)
{
  *phases = 0;
  for (;;) {
    size_t length = strcspn(text, ",");
    enum phase phase = phase_of_word(text, length);
    if (phase == PHASE_COUNT)
      return mprof_error_set(
          error, MPROF_USAGE, MPROF_NO_OFFSET,
          "--phase takes compile, load, eval and run, not '%.*s'",
          (int)length, text);
    *phases |= 1u << phase;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

bool
parse_growth(const char *text, struct growth_limits *limits,
             const char **given, struct mprof_error *error)
{
  *given = text;
  return growth_limits_parse(limits, text) ||
         usage_error(error,
                     "growth is limited by N%, Nallocs, N%allocs, or N with "
                     "a unit such as KiB or MiB, not by",
                     text);
}

static bool
is_signal(const char *text)
{
  size_t digits = strspn(text, "0123456789");
  if (digits > 0)
    return text[digits] == '\0' && atoi(text) > 0 && atoi(text) < SIGRTMIN;
  if (strncmp(text, "SIG", 3) == 0)
    text += 3;
  for (int i = 1; i < SIGRTMIN; i++)
    if (sigabbrev_np(i) != NULL && strcmp(sigabbrev_np(i), text) == 0)
      return true;
  return false;
}

bool
parse_signal(const char *text, const char **signal, struct mprof_error *error)
{
  *signal = text;
  return is_signal(text) ||
         usage_error(error, "--signal takes the name of a signal, not", text);
}
