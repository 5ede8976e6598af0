/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PHASES and THREADS: how allocation divides among the phases of a program's
 * life, and among its threads.  By bytes unless another order is asked for.
 * All phases show that allocated, however little.
 */

#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>

static const struct text_column lisp_columns[] = {
    {NULL, 0, "allocs", 0, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "bytes", 2, false},  {NULL, 0, "%", 1, false},
    {"% mem", 4, " c", 2, false},  {NULL, 0, " f", 1, false},
    {NULL, 0, " s", 1, false},     {NULL, 0, " o", 1, false},
    {NULL, 0, "name", 2, true},
};

static const struct text_column c_columns[] = {
    {NULL, 0, "allocs", 0, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "bytes", 2, false},  {NULL, 0, "%", 1, false},
    {"% mem", 4, " s", 2, false},  {NULL, 0, " m", 1, false},
    {NULL, 0, " l", 1, false},     {NULL, 0, " x", 1, false},
    {NULL, 0, "name", 2, true},
};

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
                         reduction->profile.thread_count) > 1;
}

static void
add_row(const struct reduction *reduction, struct text_table *table,
        const struct figures *figures, const char *name)
{
  const struct figures *total = &reduction->selection.total;
  text_table_number(table, figures->allocs);
  text_table_share(table, figures->allocs, total->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, total->bytes);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    text_table_share(table, figures->category_bytes[i], total->bytes);
  text_table_name(table, name);
}

/* Prints RANKING, whose items are indices into FIGURES. */
static void
print(const struct reduction *reduction, const struct ranking *ranking,
      const struct figures *figures, const char *title, struct sink *sink)
{
  struct text_table table;
  bool lisp = reduction->profile.language == LANGUAGE_LISP;
  text_table_init(&table, lisp ? lisp_columns : c_columns,
                  sizeof lisp_columns / sizeof lisp_columns[0]);
  add_row(reduction, &table, &reduction->selection.total, "<TOTAL>");
  for (size_t i = 0; i < ranking->shown; i++) {
    text_table_weigh(&table, ranking->rows[i].bytes,
                     reduction->selection.total.bytes);
    add_row(reduction, &table, &figures[ranking->rows[i].item],
            ranking->rows[i].name);
  }
  report_heading(sink, title);
  text_table_print(&table, sink);
  text_table_release(&table);
}

static void
write_legend(const struct reduction *reduction, const char *what,
             struct sink *sink)
{
  report_share_legend(reduction, sink);
  report_legend(reduction, sink, "allocs %", what);
  report_legend(reduction, sink, "bytes %",
                "their bytes, and the share of all bytes");
  report_legend(reduction, sink, "% mem",
                "the same share by category of object");
  report_category_legend(reduction, sink);
}

static enum sort_key
sort_key(const struct reduction *reduction)
{
  enum sort_key key = reduction->options->sort;
  return key == SORT_DEFAULT ? SORT_BYTES : key;
}

void
report_phases(const struct reduction *reduction, struct sink *sink)
{
  const struct figures *figures = reduction->tally.phases;
  struct ranking ranking;
  ranking_init(&ranking);
  for (size_t i = 0; i < PHASE_COUNT; i++)
    if (allocated(&figures[i]) &&
        !ranking_add(&ranking,
                     (struct ranking_row){.bytes = figures[i].bytes,
                                          .allocs = figures[i].allocs,
                                          .name = phase_title((enum phase)i),
                                          .item = i}))
      sink_fail(sink, ENOMEM);
  ranking_sort(&ranking, sort_key(reduction));
  print(reduction, &ranking, figures, "PHASES", sink);
  write_legend(reduction,
               "objects allocated in this phase, and their share of all",
               sink);
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
  const struct profile *profile = &reduction->profile;
  const struct figures *figures = reduction->tally.threads;
  struct ranking ranking;
  ranking_init(&ranking);
  for (size_t i = 0; i < profile->thread_count; i++)
    if (allocated(&figures[i]) &&
        !ranking_add(&ranking, (struct ranking_row){
                                   .bytes = figures[i].bytes,
                                   .allocs = figures[i].allocs,
                                   .name = profile_thread_name(profile, i),
                                   .item = i}))
      sink_fail(sink, ENOMEM);
  ranking_sort(&ranking, sort_key(reduction));
  ranking_cut(&ranking, &reduction->selection.total, reduction->options);
  print(reduction, &ranking, figures, "THREADS", sink);
  ranking_note(&ranking, reduction->options, "threads", sink);
  write_legend(reduction,
               "objects that this thread allocated, and their share of all",
               sink);
  report_legend(reduction, sink, "name",
                "the thread's; #2 and so on are others of the same name");
  ranking_release(&ranking);
}
