/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REGIONS: what was allocated in each named region with those in it, and what
 * the monitor says of it in comments "mprof.region=ENTERED NANOSECONDS FIRST
 * LAST HELD PATH" (HELD is "-" where nothing is freed).  A region stands above those in it, in the order of their
 * names; or all in the order that is asked for.
 */

#include "profile/array.h"
#include "profile/region_path.h"
#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct report_column columns[] = {
    {{NULL, 0, "entered", 0, false},
     .term = "entered",
     .meaning = "how often, by all threads"},
    {{NULL, 0, "seconds", 2, false},
     .term = "seconds",
     .meaning = "spent in it, threads added up"},
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs %",
     .meaning = "objects allocated in it and in the regions in it, and their "
                "share of all"},
    SHARE_COLUMN,
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "their bytes, and the share of all bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "held", 2, false},
     .use = USE_KEPT,
     .term = "held",
     .meaning = "bytes of these that were live when it was left last"},
    {{NULL, 0, "first", 2, true},
     .term = "first",
     .meaning = "when it was entered first, in UTC"},
    {{NULL, 0, "last", 2, true},
     .term = "last",
     .meaning = "when it was left last, in UTC"},
    {{NULL, 0, "region", 2, true},
     .term = "region",
     .meaning = "its name, behind those of the regions around it"},
};

/* What is known of one region; times in nanoseconds, since the epoch but for
 * SPENT. */
struct region {
  const char *path; /* of the profile; as long as it */
  uint64_t entered, spent, first, last, held;
  struct figures figures; /* with the regions in it */
};

struct regions {
  struct region *items; /* owned */
  size_t count, capacity;
  struct names paths; /* number of a region in items + 1 is its path's id */
};

/* The region with PATH, added when new; NULL when memory runs out. */
static struct region *
region_of(struct regions *regions, const char *path)
{
  uint32_t name = names_intern(&regions->paths, path);
  if (name == NAMES_NONE || name == 0)
    return NULL;
  if (name - 1 == regions->count) {
    struct region *items = array_reserve(regions->items, &regions->capacity,
                                         regions->count + 1, sizeof *items);
    if (items == NULL)
      return NULL;
    regions->items = items;
    items[regions->count++] =
        (struct region){.path = names_text(&regions->paths, name)};
  }
  return &regions->items[name - 1];
}

/* Adds what TEXT, the comment of a region, says; one that cannot be read says
 * nothing. */
static bool
add_comment(struct regions *regions, const char *text)
{
  uint64_t entered, spent, first, last, held = 0;
  char held_text[24];
  int length = -1;
  if (sscanf(text,
             "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %23s %n",
             &entered, &spent, &first, &last, held_text, &length) != 5 ||
      length < 0 || text[length] == '\0' ||
      (strcmp(held_text, "-") != 0 &&
       sscanf(held_text, "%" SCNu64, &held) != 1))
    return true;
  struct region *region = region_of(regions, text + length);
  if (region == NULL)
    return false;
  region->entered += entered;
  region->spent += spent;
  region->held += held;
  if (region->first == 0 || (first != 0 && first < region->first))
    region->first = first;
  if (last > region->last)
    region->last = last;
  return true;
}

/* Adds FIGURES to the region with PATH and to all around it. */
static bool
add_figures(struct regions *regions, const char *path,
            const struct figures *figures)
{
  char *outer = strdup(path);
  bool good = outer != NULL;
  while (good && *outer != '\0') {
    struct region *region = region_of(regions, outer);
    good = region != NULL;
    if (good)
      figures_add(&region->figures, figures);
    outer[region_path_outer(outer)] = '\0';
  }
  free(outer);
  return good;
}

static bool
collect(struct regions *regions, const struct reduction *reduction)
{
  const struct profile *profile = &reduction->profile;
  if (!names_init(&regions->paths))
    return false;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = profile_comment_value(profile, i, "mprof.region");
    if (text != NULL && !add_comment(regions, text))
      return false;
  }
  for (size_t i = 0; i < profile->region_count; i++)
    if (!add_figures(regions,
                     names_text(&profile->names, profile->regions[i]),
                     &reduction->tally.regions[i]))
      return false;
  return true;
}

bool
report_has_regions(const struct reduction *reduction)
{
  const struct profile *profile = &reduction->profile;
  return profile->region_count > 1 ||
         (profile->region_count == 1 && profile->regions[0] != 0) ||
         profile_comment(profile, "mprof.region", 0) != NULL;
}

/* A name before a longer one, and ";" before all else, so that a region comes
 * before those in it. */
static int
compare_paths(const void *left, const void *right)
{
  const char *a = (*(const struct region *const *)left)->path;
  const char *b = (*(const struct region *const *)right)->path;
  while (*a != '\0' && *a == *b) {
    a++;
    b++;
  }
  unsigned char first = *a == ';' ? 1 : (unsigned char)*a;
  unsigned char second = *b == ';' ? 1 : (unsigned char)*b;
  return first < second ? -1 : first > second;
}

static bool
rank_regions(const struct regions *regions, const struct reduction *reduction,
             struct ranking *ranking)
{
  const struct region **order =
      array_zeroed(regions->count, sizeof(const struct region *));
  bool good = order != NULL;
  for (size_t i = 0; good && i < regions->count; i++)
    order[i] = &regions->items[i];
  if (good)
    array_sort(order, regions->count, sizeof(const struct region *),
               compare_paths);
  for (size_t i = 0; good && i < regions->count; i++) {
    const struct region *region = order[i];
    good = ranking_add(
        ranking,
        (struct ranking_row){.bytes = region->figures.bytes,
                             .allocs = region->figures.allocs,
                             .kept_bytes = region->figures.kept_bytes,
                             .rank = i,
                             .name = region->path,
                             .item = (size_t)(region - regions->items)});
  }
  free(order);
  ranking_arrange(ranking, &reduction->selection.total, reduction->options);
  if (reduction->options->sort == SORT_DEFAULT)
    ranking_by_rank(ranking);
  return good;
}

static void
add_time(struct text_table *table, uint64_t nanoseconds)
{
  char text[32];
  struct tm parts;
  time_t seconds = (time_t)(nanoseconds / 1000000000u);
  if (nanoseconds == 0 || gmtime_r(&seconds, &parts) == NULL) {
    text_table_skip(table, 1);
    return;
  }
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  text_table_cell(table, "%s.%03u", text,
                  (unsigned)(nanoseconds / 1000000u % 1000u));
}

/* CONTEXT is a struct regions. */
static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct regions *regions = context;
  const struct figures *total = &reduction->selection.total;
  if (row == NULL) {
    text_table_skip(table, 2);
    add_share_cells(reduction, table, total, total);
    text_table_skip(table, column_used(reduction, USE_KEPT) ? 3 : 2);
    text_table_name(table, "<TOTAL>");
    return;
  }
  const struct region *region = &regions->items[row->item];
  text_table_number(table, region->entered);
  text_table_cell(table, "%" PRIu64 ".%03u", region->spent / 1000000000u,
                  (unsigned)(region->spent / 1000000u % 1000u));
  add_share_cells(reduction, table, &region->figures, total);
  if (column_used(reduction, USE_KEPT))
    text_table_number(table, region->held);
  add_time(table, region->first);
  add_time(table, region->last);
  text_table_name(table, region->path);
}

void
report_regions(const struct reduction *reduction, struct sink *sink)
{
  struct regions regions = {0};
  const struct flat_report report = {
      .title = "REGIONS",
      .rows = "regions",
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
      .context = &regions,
  };
  struct ranking ranking;
  if (!report_has_regions(reduction)) {
    report_heading(sink, report.title);
    sink_text(sink, "This profile has no regions.\n");
    return;
  }
  ranking_init(&ranking);
  if (!collect(&regions, reduction) ||
      !rank_regions(&regions, reduction, &ranking))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
  names_release(&regions.paths);
  free(regions.items);
}
