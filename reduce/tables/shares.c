/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PHASES, THREADS and REGIONS: how allocation divides among the phases of a
 * program's life, among its threads, and among the regions that it names.  A
 * region stands with those in it, above them.  All phases show that
 * allocated, however little.
 */

#include "tables/report.h"
#include "tables/table.h"

#define DATA_COLUMNS                                                         \
  ALL_COUNTS, {CONTENT(BY_CATEGORY), .keys = KEYS("category_bytes", "")},    \
      ALL_MORE

#define SHARE_COLUMNS(of_what)                                               \
  ALLOCS_COLUMN(0, "objects allocated " of_what ", and their share of all"), \
      BYTES_COLUMN("their bytes, and their share of all bytes"),             \
      {CATEGORIES(BYTES), HEADING(2, NULL, "% mem"),                         \
       .meaning = "the same share by category of object"},                   \
      DATA_COLUMNS

static const struct column phase_columns[] = {
    SHARE_COLUMNS("in this phase"),
    {CONTENT(NAME), .keys = KEY("phase"), .first = true,
     LEFT_HEADING(2, "name"), .meaning = "the phase"},
};

static const struct column thread_columns[] = {
    SHARE_COLUMNS("by these threads"),
    {CONTENT(NAME), .keys = KEYS("name", "thread"), .first = true,
     LEFT_HEADING(2, "name"),
     .meaning = "name; all threads of one name are one row"},
};

static const struct column region_columns[] = {
    {CONTENT(NAME), .keys = KEYS("path", "region"), .first = true},
    DATA_COLUMNS,
    {FIELD(NUMBER, struct region_row, entered), .keys = KEY("entered"),
     HEADING(0, NULL, "entered"),
     .meaning = "number of entries, by all threads"},
    {FIELD(NUMBER, struct region_row, spent), .unit = UNIT_SECONDS,
     .keys = KEY("nanoseconds"), HEADING(2, NULL, "seconds"),
     .meaning = "time spent in the region, summed over threads"},
    ALLOCS_COLUMN(2, "objects allocated in the region and in nested regions, "
                     "and their share of all"),
    BYTES_COLUMN("their bytes, and their share of all bytes"),
    {FIELD(NUMBER, struct region_row, held), HEADING(2, NULL, "held"),
     .use = USE_KEPT,
     .meaning = "bytes of these that were live when the region was last "
                "left"},
    {FIELD(OPTIONAL, struct region_row, first), .unit = UNIT_TIME,
     .keys = KEY("first_entered"), LEFT_HEADING(2, "first"),
     .meaning = "time of the first entry, in UTC"},
    {FIELD(OPTIONAL, struct region_row, last), .unit = UNIT_TIME,
     .keys = KEY("last_left"), LEFT_HEADING(2, "last"),
     .meaning = "time of the last exit, in UTC"},
    {OWN(0), .keys = KEY("held_bytes")},
    {CONTENT(NAME), LEFT_HEADING(2, "region"),
     .meaning = "name of the region, after those of the regions around it"},
};

static bool
phase_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  if (item == PHASE_COUNT)
    return false;
  row->figures = &listing->view->tally.phases[item];
  row->name = listing->form == FORM_TEXT ? phase_texts[item].title
                                         : phase_texts[item].word;
  return true;
}

static void
phase_legend(const struct listing *listing, struct sink *sink)
{
  const struct view *view = listing->view;
  report_legend(view, sink, "compile time",
                "below COMPILE or COMPILE-FILE, including macro functions");
  report_legend(view, sink, "load time", "below LOAD, unless it compiles");
  report_legend(view, sink, "evaluation",
                "by EVAL, until it calls a function of the program");
  report_legend(view, sink, "run time", "everything else");
}

static bool
thread_row(const struct listing *listing, size_t item,
           struct ranking_row *row)
{
  if (item == listing->view->profile->thread_count)
    return false;
  row->figures = &listing->view->tally.threads[item];
  row->name = profile_thread_name(listing->view->profile, item);
  return true;
}

static bool
region_row(const struct listing *listing, size_t item,
           struct ranking_row *row)
{
  if (item == listing->view->regions.count)
    return false;
  const struct region_row *region = &listing->view->regions.rows[item];
  row->data = region;
  row->figures = &region->figures;
  row->name = region->path;
  row->rank = item; /* those around it come first */
  return true;
}

/* Puts the bytes that were held into OUT. */
static void
region_cell(const struct listing *listing, const struct ranking_row *row,
            int id, struct writer *out)
{
  const struct region_row *region = row->data;
  (void)listing, (void)id;
  put_optional(out, region->knows_held, region->held);
}

static const char *
lacks_regions(const struct view *view)
{
  return view->regions.count > 0 ? NULL : "This profile has no regions.";
}

const struct table phases_table = {
    .title = "PHASES",
    .rows = "phases",
    .uncut = true,
    .drops_empty = true,
    COLUMNS(phase_columns),
    .row = phase_row,
    .legend = phase_legend,
};

const struct table threads_table = {
    .title = "THREADS",
    .rows = "names of threads",
    .drops_empty = true,
    COLUMNS(thread_columns),
    .row = thread_row,
};

const struct table regions_table = {
    .title = "REGIONS",
    .rows = "regions",
    COLUMNS(region_columns),
    .row = region_row,
    .cell = region_cell,
    .lacks = lacks_regions,
};
