/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The columns of a table together with what explains them: heading and
 * legend are one row of a list, so that no column goes without.
 *
 * A list names every column that its table can have.  Which of them it has
 * depends on what the profile knows, and so do the letters that stand for
 * categories.
 */

#ifndef MPROF_COLUMNS_H
#define MPROF_COLUMNS_H

#include "reduction.h"
#include "report/text_table.h"

enum { MOST_COLUMNS = 32 };

/* What the profile must know for a column to be there. */
enum column_use {
  USE_ALWAYS,
  USE_KEPT, /* what was never freed */
  USE_CALLS /* how often functions were called */
};

struct report_column {
  struct text_column text;
  enum column_use use;
  unsigned category; /* 1 + the category that heads the column; 0: none */
  const char *term;  /* as the legend calls it; NULL: another column's line
                        explains it, too */
  const char *meaning;
  const char *meaning_in_c; /* for C programs; NULL: the same */
  unsigned spare;           /* see text_table.h */
};

/* The share that belongs to the column before it. */
#define SHARE_COLUMN                                                         \
  {                                                                          \
    .text = { NULL, 0, "%", 1, false }                                       \
  }

/* Four columns, one a category, below TOP. */
#define CATEGORY_COLUMNS(top, spare, use, term, meaning)                     \
  {{top, 4, NULL, 2, false}, use, 1, term, meaning, NULL, spare},            \
      {{NULL, 0, NULL, 1, false}, use, 2, NULL, NULL, NULL, spare},          \
      {{NULL, 0, NULL, 1, false}, use, 3, NULL, NULL, NULL, spare},          \
  {                                                                          \
    {NULL, 0, NULL, 1, false}, use, 4, NULL, NULL, NULL, spare               \
  }

/* The columns that a table has, in order. */
struct report_columns {
  struct text_column items[MOST_COLUMNS];
  unsigned spare[MOST_COLUMNS];
  size_t count;
};

/* What calls of a function are: the monitor of C programs counts them as the
 * original did. */
const char *report_calls_meaning(const struct reduction *reduction);

/* What the letters of the categories mean. */
const char *report_categories_meaning(enum language language);

/* Whether the profile of REDUCTION has columns of that USE. */
bool column_used(const struct reduction *reduction, enum column_use use);

/* Chooses from LIST, of COUNT columns. */
void report_columns_choose(struct report_columns *columns,
                           const struct reduction *reduction,
                           const struct report_column *list, size_t count);

/* Writes the legend of LIST: a line on shares, one for each term, one on the
 * letters of categories, and one on unknown calls if there are any; nothing
 * when legends are not wanted. */
void report_columns_explain(const struct reduction *reduction,
                            const struct report_column *list, size_t count,
                            struct sink *sink);

/* What was freed of ALL when KEPT was not; 0 where a profile of another
 * program says that more was kept than allocated. */
static inline uint64_t
freed(uint64_t all, uint64_t kept)
{
  return all > kept ? all - kept : 0;
}

/* Adds the cells of CATEGORY_COLUMNS: the shares of WHOLE that BYTES are. */
void add_category_cells(struct text_table *table,
                        const uint64_t bytes[CATEGORY_COUNT], uint64_t whole);

/* Adds four cells: allocations and bytes, each with its share of WHOLE.
 * Allocations stay blank where REDUCTION's profile does not count them. */
void add_share_cells(const struct reduction *reduction,
                     struct text_table *table, const struct figures *figures,
                     const struct figures *whole);

#endif
