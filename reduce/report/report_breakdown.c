/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PHASES and THREADS: how allocation divides among the phases of a program's
 * life, and among its threads.  By bytes unless another order is asked for.
 * All phases show that allocated, however little.
 */

#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>

#define BREAKDOWN_COLUMNS(of_what, name)                                     \
  {                                                                          \
    {{NULL, 0, "allocs", 0, false},                                          \
     .term = "allocs %",                                                     \
     .meaning = "objects allocated " of_what ", and their share of all"},    \
        SHARE_COLUMN,                                                        \
        {{NULL, 0, "bytes", 2, false},                                       \
         .term = "bytes %",                                                  \
         .meaning = "their bytes, and the share of all bytes"},              \
        SHARE_COLUMN,                                                        \
        CATEGORY_COLUMNS("% mem", 0, USE_ALWAYS, "% mem",                    \
                         "the same share by category of object"),            \
    {                                                                        \
      {NULL, 0, "name", 2, true}, .term = "name", .meaning = name            \
    }                                                                        \
  }

static const struct report_column phase_columns[] =
    BREAKDOWN_COLUMNS("in this phase", "the phase");
static const struct report_column thread_columns[] = BREAKDOWN_COLUMNS(
    "by this thread", "the thread's; #2 and so on are others of one name");

enum { COLUMN_COUNT = sizeof phase_columns / sizeof phase_columns[0] };

static bool
allocated(const struct figures *figures)
{
  return figures->allocs != 0 || figures->bytes != 0;
}

/* How many of COUNT FIGURES are of something. */
static size_t
count_allocated(const struct figures *figures, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    n += allocated(&figures[i]);
  return n;
}

bool
report_has_phases(const struct reduction *reduction)
{
  return count_allocated(reduction->tally.phases, PHASE_COUNT) > 1;
}

bool
report_has_threads(const struct reduction *reduction)
{
  return count_allocated(reduction->tally.threads,
                         reduction->profile->thread_count) > 1;
}

/* CONTEXT is an array of figures, by a row's item. */
static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct figures *all = context;
  const struct figures *total = &reduction->selection.total;
  const struct figures *figures = row == NULL ? total : &all[row->item];
  add_share_cells(reduction, table, figures, total);
  add_category_cells(table, figures->category_bytes, total->bytes);
  text_table_name(table, row == NULL ? "<TOTAL>" : row->name);
}

static void
add_to_ranking(struct ranking *ranking, const struct figures *figures,
               const char *name, size_t item, struct sink *sink)
{
  if (allocated(figures) &&
      !ranking_add(ranking, ranking_row_of(figures, name, item)))
    sink_fail(sink, ENOMEM);
}

void
report_phases(const struct reduction *reduction, struct sink *sink)
{
  const struct figures *figures = reduction->tally.phases;
  const struct flat_report report = {.title = "PHASES",
                                     .rows = "phases",
                                     .columns = phase_columns,
                                     .column_count = COLUMN_COUNT,
                                     .add_row = add_row,
                                     .context = figures};
  struct ranking ranking;
  ranking_init(&ranking);
  for (size_t i = 0; i < PHASE_COUNT; i++)
    add_to_ranking(&ranking, &figures[i], phase_title((enum phase)i), i,
                   sink);
  ranking_sort(&ranking, reduction->options->sort);
  flat_report_write(&report, reduction, &ranking, sink);
  report_legend(reduction, sink, "compile time",
                "below COMPILE or COMPILE-FILE; with macro functions");
  report_legend(reduction, sink, "load time",
                "below LOAD, unless it compiles");
  report_legend(reduction, sink, "evaluation",
                "by EVAL, until it calls a function of the program");
  report_legend(reduction, sink, "run time", "all else");
  ranking_release(&ranking);
}

void
report_threads(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  const struct figures *figures = reduction->tally.threads;
  const struct flat_report report = {.title = "THREADS",
                                     .rows = "threads",
                                     .columns = thread_columns,
                                     .column_count = COLUMN_COUNT,
                                     .add_row = add_row,
                                     .context = figures};
  struct ranking ranking;
  ranking_init(&ranking);
  for (size_t i = 0; i < profile->thread_count; i++)
    add_to_ranking(&ranking, &figures[i], profile_thread_name(profile, i), i,
                   sink);
  ranking_arrange(&ranking, &reduction->selection.total, reduction->options);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
}
