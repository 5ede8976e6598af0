/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The options of all commands, as a table: what is parsed, what --help
 * prints, and what the tests compare with the manual page.
 */

#ifndef MPROF_OPTION_TABLE_H
#define MPROF_OPTION_TABLE_H

#include "command/options.h"

enum option_id {
  OPTION_VERBOSE,
  OPTION_NORMAL,
  OPTION_TERSE,
  OPTION_LEAKTABLE,
  OPTION_NOLEAKTABLE,
  OPTION_OFFSETS,
  OPTION_LINES,
  OPTION_CALLERS,
  OPTION_TABLES,
  OPTION_FORMAT,
  OPTION_TABLE,
  OPTION_VALUE,
  OPTION_TYPES,
  OPTION_PHASES,
  OPTION_THREADS,
  OPTION_NORMALIZE,
  OPTION_FAIL_ABOVE,
  OPTION_FAIL_ABOVE_FUNCTION,
  OPTION_FAIL_ABOVE_KEPT,
  OPTION_SORT,
  OPTION_LIMIT,
  OPTION_MIN_PERCENT,
  OPTION_FOCUS,
  OPTION_IGNORE,
  OPTION_HIDE,
  OPTION_SHOW,
  OPTION_SHOW_FROM,
  OPTION_HIDE_SYSTEM,
  OPTION_PHASE,
  OPTION_THREAD,
  OPTION_REGION,
  OPTION_SHOW_RUNTIME,
  OPTION_SHOW_ROOT,
  OPTION_NO_LEGEND,
  OPTION_WIDTH,
  OPTION_MIN_WIDTH,
  OPTION_COLOR,
  OPTION_BY,
  OPTION_OFF,
  OPTION_UNFOLDED,
  OPTION_SIGNAL,
  OPTION_AUTOSAVE,
  OPTION_BUDGET,
  OPTION_TEMPORARY,
  OPTION_QUIET,
  OPTION_OUTPUT,
  OPTION_HELP
};

struct option_row {
  enum option_id id;
  unsigned commands;    /* that take it: bit i is enum command i */
  const char *name;     /* without dashes */
  const char *argument; /* what the value is called, NULL: takes none */
  const char *help;
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct option_row option_rows[];

/* The row that COMMAND has for the first LENGTH bytes of NAME, or NULL. */
const struct option_row *option_find(const char *name, size_t length,
                                     enum command command);

#endif
