/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values that options take: text in, a number, a word of an enumeration
 * or a set out.  Each is false when TEXT is none, and then ERROR says what
 * the option takes; what was to be set holds nothing of use.
 */

#ifndef MPROF_OPTION_VALUES_H
#define MPROF_OPTION_VALUES_H

#include "command/options.h"
#include "base/mprof_error.h"

/* Says that ARGUMENT is wrong; WHAT comes before it.  Always false. */
bool usage_error(struct mprof_error *error, const char *what,
                 const char *argument);

/* Digits with up to four decimals, at most 100, as millionths. */
bool parse_percent(const char *text, uint32_t *share,
                   struct mprof_error *error);

/* Digits, a number of at least LEAST; else ERROR says what is WRONG. */
bool parse_number(const char *text, size_t least, const char *wrong,
                  size_t *number, struct mprof_error *error);

bool parse_granularity(const char *text, enum granularity *by,
                       struct mprof_error *error);
bool parse_color(const char *text, enum color_choice *color,
                 struct mprof_error *error);
bool parse_sort(const char *text, enum sort_key *sort,
                struct mprof_error *error);
bool parse_measure(const char *text, enum measure *measure,
                   struct mprof_error *error);

/* Names separated by commas.  Tables of COMMAND are added to *TABLES; bit i
 * is the i-th. */
bool parse_tables(const char *text, enum command command, uint64_t *tables,
                  struct mprof_error *error);
bool parse_phases(const char *text, unsigned *phases,
                  struct mprof_error *error);

/* The name of a signal, with or without SIG, or its number. */
bool parse_signal(const char *text, const char **signal,
                  struct mprof_error *error);

/* A limit of growth; *GIVEN keeps TEXT for messages. */
bool parse_growth(const char *text, struct growth_limits *limits,
                  const char **given, struct mprof_error *error);

#endif
