/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a comparison as text.
 *
 * Rows are in order of the absolute change, of bytes or of what else is asked
 * for; then of bytes and allocations, then of what both sides have together,
 * then of the names.  A row is left out when its change is below the smallest
 * share of the larger total; one without a change unless --verbose is given.
 */

#include "diff/diff.h"

#include "analysis/frames.h"
#include "base/array.h"
#include "common/pprof_format.h"
#include "tables/report.h"
#include "tables/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

/* What a column has of a figure: how it changed, also in per cents, what it
 * was and is.  And what it has besides. */
enum { CHANGE, PERCENT, OLD, NEW, PARTS };
enum { STATE = DIFF_COUNTS * PARTS, NAME };

#define PART(measure, part, heading, space)                                  \
  .id = (measure)*PARTS + part, .text = {NULL, 0, heading, space, false}
#define SIDES(used, measure, space, ...)                                     \
  {PART(measure, OLD, "old", space), .use = used, __VA_ARGS__},              \
  {                                                                          \
    PART(measure, NEW, "new", 2), .use = used, __VA_ARGS__                   \
  }

/* The changes of a measure below a HEADING over SPAN columns. */
#define CHANGES(measure, heading, span, space)                               \
  .id = (measure)*PARTS + CHANGE,                                            \
  .text = {heading, span, "change", space, false}

/* All of a measure; the legend has WORD. */
#define GROUP(used, measure, heading, word, ...)                             \
  {CHANGES(measure, heading, 3, 3), .use = used, .term = word, .spare = 2,   \
   __VA_ARGS__},                                                             \
      SIDES(used, measure, 2, .spare = 2)

static const struct column total_columns[] = {
    SIDES(USE_ALWAYS, MEASURE_BYTES, 0, .spare = 0),
    {PART(MEASURE_BYTES, CHANGE, "change", 2)},
    {PART(MEASURE_BYTES, PERCENT, "%", 1)},
    {OWN(NAME), .text = {NULL, 0, "", 2, true}},
};

static const struct column change_columns[] = {
    {CHANGES(MEASURE_BYTES, "bytes", 4, 0), .term = "change",
     .meaning = "new minus old; blank: no change"},
    {PART(MEASURE_BYTES, PERCENT, "%", 1),
     .meaning = "change in per cent of the old figure; blank: no old figure"},
    SIDES(USE_ALWAYS, MEASURE_BYTES, 2, .spare = 0),
    {CHANGES(MEASURE_ALLOCS, "allocs", 4, 3), .spare = 1},
    {PART(MEASURE_ALLOCS, PERCENT, "%", 1), .spare = 1},
    SIDES(USE_ALWAYS, MEASURE_ALLOCS, 2, .spare = 1),
    GROUP(USE_KEPT, MEASURE_KEPT_BYTES, "bytes kept", "bytes kept",
          .meaning = "bytes never freed"),
    GROUP(USE_LIVE, MEASURE_KEPT_BYTES, "live bytes", "live bytes",
          .meaning = "bytes that were alive at the last collection"),
    GROUP(USE_ALWAYS, MEASURE_PEAK_BYTES, "bytes at the peak", "at the peak",
          .meaning = "bytes that were live at the peak"),
    GROUP(USE_ALWAYS, MEASURE_TEMPORARY_ALLOCS, "temporary objects",
          "temporary", .meaning = "objects that were freed at once"),
    GROUP(USE_CALLS, DIFF_CALLS, "calls", "calls", CALLS_MEANING),
    {OWN(STATE), .text = {NULL, 0, "", 3, true}},
    {OWN(NAME), .text = {NULL, 0, "name", 1, true}},
};

enum { COLUMN_COUNT = sizeof change_columns / sizeof change_columns[0] };

/* A description, which a listing of it points to, and what it is of. */
struct changes {
  struct table table;
  struct column columns[COLUMN_COUNT]; /* those that show */
  const struct diff *diff;
  enum diff_kind kind;
  const struct diff_table *from;
  enum measure order; /* whose change rows are in order of */
  enum measure third; /* shown after bytes and allocations, or ORDER */
  bool calls;         /* shown at the end, where they are known */
};

/* What a table leaves out. */
struct left_out {
  size_t unchanged, small;
  int64_t sum; /* of the small changes, of the order's measure */
};

#define CHANGES_OF(listing) ((const struct changes *)(listing)->table)

/* Returns the absolute change of MEASURE; none where calls are not known. */
static uint64_t
change_of(const struct diff_entry *entry, unsigned measure)
{
  uint64_t old = entry->sides[DIFF_OLD].counts[measure];
  uint64_t new = entry->sides[DIFF_NEW].counts[measure];
  return calls_add(old, new) == CALLS_UNKNOWN ? 0
         : new > old                          ? new - old
                                              : old - new;
}

/* Returns the name of ENTRY, or its chain as folded stacks have it. */
static const char *
name_of(const struct listing *listing, const struct diff_entry *entry)
{
  struct sink *sink = &listing->text->sink;
  const bool chain = CHANGES_OF(listing)->kind == DIFF_CONTEXTS;
  const bool cxx = listing_has_cxx_names(listing);
  if (!chain && !cxx)
    return entry->name;
  const struct diff *diff = CHANGES_OF(listing)->diff;
  const struct tree_node *nodes = CHANGES_OF(listing)->from->tree.nodes;
  size_t length = 0;
  uint32_t *path = NULL;
  size_t capacity = 0;
  string_sink_clear(listing->text);
  for (uint32_t n = entry->node; n != TREE_ROOT; n = nodes[n].parent)
    ARRAY_PUSH(path, length, capacity, nodes[n].item);
  while (length > 0) {
    const char *name = names_text(&diff->names, path[--length]);
    if (cxx)
      write_cxx_name(sink, name);
    else
      escape_name(sink, name, ";");
    sink_text(sink, length == 0 ? "" : ";");
  }
  pool_free(path);
  return string_sink_text(listing->text);
}

/* Returns the change from OLD to NEW, "+12" or "-3"; or, for PERCENT, in per
 * cents of OLD, with one decimal, to the nearest, halves away from zero.  It
 * is empty without a change, or if a figure is not known. */
static const char *
change_text(const struct listing *listing, int part, uint64_t old,
            uint64_t new)
{
  const uint64_t change = new > old ? new - old : old - new;
  const unsigned __int128 scaled = (unsigned __int128)change * 1000 + old / 2;
  struct sink *sink = &listing->text->sink;
  string_sink_clear(listing->text);
  if (change == 0 || calls_add(old, new) == CALLS_UNKNOWN ||
      (part == PERCENT && old == 0))
    return "";
  if (part == CHANGE)
    sink_format(sink, "%c%" PRIu64, new > old ? '+' : '-', change);
  else if (scaled / old > 99999)
    sink_text(sink, ">+9999");
  else
    sink_format(sink, "%c%u.%u", new > old ? '+' : '-',
                (unsigned)(scaled / old) / 10, (unsigned)(scaled / old) % 10);
  return string_sink_text(listing->text);
}

static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct changes *changes = CHANGES_OF(listing);
  const struct diff_entry *entry = &changes->from->entries[row->item];
  int measure = id / PARTS;
  if (id == NAME || id == STATE) {
    put_text(out, id == NAME                  ? name_of(listing, entry)
                  : !entry->present[DIFF_OLD] ? "new"
                  : !entry->present[DIFF_NEW] ? "gone"
                                              : "");
    return;
  }
  uint64_t old = entry->sides[DIFF_OLD].counts[measure];
  uint64_t new = entry->sides[DIFF_NEW].counts[measure];
  if (measure == MEASURE_ALLOCS && !diff_knows(changes->diff, MEASURE_ALLOCS))
    old = new = CALLS_UNKNOWN;
  if (id % PARTS == OLD || id % PARTS == NEW)
    put_calls(out, id % PARTS == OLD ? old : new);
  else
    put_text(out, change_text(listing, id % PARTS, old, new));
}

/* Entries are in the order of their names, or of printing, which breaks ties.
 * Left out are those of which nothing was allocated, nor called that shows.
 */
static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct changes *changes = CHANGES_OF(listing);
  if (item == changes->from->entry_count)
    return false;
  if (changes->kind == DIFF_TOTALS)
    return true;
  const struct diff_entry *entry = &changes->from->entries[item];
  const uint64_t *old = entry->sides[DIFF_OLD].counts;
  const uint64_t *new = entry->sides[DIFF_NEW].counts;
  if (changes->diff->options->sort != SORT_NAME) {
    row->key = change_of(entry, changes->order);
    row->bytes = change_of(entry, MEASURE_BYTES);
    row->allocs = change_of(entry, MEASURE_ALLOCS);
    row->rank = UINT64_MAX - old[changes->order] - new[changes->order];
  }
  row->left_out = (old[MEASURE_BYTES] | new[MEASURE_BYTES] |
                   old[MEASURE_ALLOCS] | new[MEASURE_ALLOCS]) == 0 &&
                  !(changes->calls && changes->kind == DIFF_FUNCTIONS &&
                    (old[DIFF_CALLS] | new[DIFF_CALLS]) != 0);
  return true;
}

/* Returns whether MEASURE of ENTRY changed by a large share of the larger
 * total. */
static bool
has_share(const struct changes *changes, const struct diff_entry *entry,
          enum measure measure)
{
  const struct diff *diff = changes->diff;
  uint64_t old = diff->totals[DIFF_OLD].counts[measure];
  uint64_t new = diff->totals[DIFF_NEW].counts[measure];
  return share_reached(change_of(entry, measure),
                       old > new && !diff->given->normalize ? old : new,
                       diff->options->min_share);
}

/* Returns whether ENTRY, which has CHANGED or not, shows below SHOWN others:
 * a total, or one whose change is large, by the order of the rows or by the
 * measure that is shown behind: so no new leak is left out. */
static bool
shows(const struct changes *changes, const struct diff_entry *entry,
      bool changed, size_t shown)
{
  const struct view_options *options = changes->diff->options;
  if (changes->kind == DIFF_TOTALS)
    return true;
  return shown < options->limit && (changed || options->verbose) &&
         (has_share(changes, entry, changes->order) ||
          (change_of(entry, changes->third) != 0 &&
           has_share(changes, entry, changes->third)));
}

static void
arrange(struct listing *listing)
{
  const struct changes *changes = CHANGES_OF(listing);
  struct ranking *ranking = &listing->ranking;
  struct left_out *left = listing->context;
  ranking_sort_keyed(ranking);
  ranking->shown = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    struct ranking_row row = ranking->rows[i];
    const struct diff_entry *entry = &changes->from->entries[row.item];
    uint64_t changed =
        change_of(entry, MEASURE_BYTES) | change_of(entry, MEASURE_ALLOCS) |
        change_of(entry, changes->third) | change_of(entry, DIFF_CALLS);
    if (shows(changes, entry, changed != 0, ranking->shown)) {
      ranking->rows[ranking->shown++] = row;
      continue;
    }
    left->small += changed != 0;
    left->unchanged += changed == 0;
    left->sum += (int64_t)(entry->sides[DIFF_NEW].counts[changes->order] -
                           entry->sides[DIFF_OLD].counts[changes->order]);
  }
}

/* Describes the table KIND, with the columns of the measures that show, and
 * of what is kept if the legend wants that. */
static void
describe(struct changes *changes, const struct diff *diff,
         enum diff_kind kind, bool legend)
{
  enum measure order = sort_measure(diff->options->sort);
  bool kept = diff_knows(diff, MEASURE_KEPT_BYTES);
  *changes = (struct changes){
      .table = {.untotalled = true,
                COLUMNS(total_columns),
                .row = row,
                .cell = cell,
                .arrange = arrange,
                .context_bytes = sizeof(struct left_out)},
      .diff = diff,
      .kind = kind,
      .from = &diff->tables[kind],
      .order = order,
      .third = kept && order <= MEASURE_ALLOCS ? MEASURE_KEPT_BYTES : order,
      .calls = kind <= DIFF_INCLUSIVE && diff_knows(diff, DIFF_CALLS),
  };
  if (kind == DIFF_TOTALS)
    return;
  changes->table.columns = changes->columns;
  changes->table.column_count = 0;
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    const struct column *column = &change_columns[i];
    int measure = column->id / PARTS;
    if (measure <= MEASURE_ALLOCS || measure == (int)changes->third ||
        (measure == MEASURE_KEPT_BYTES && kept && legend) ||
        column->id >= STATE || (measure == DIFF_CALLS && changes->calls)) {
      struct column *added = &changes->columns[changes->table.column_count++];
      *added = *column;
      if (measure == (int)order) /* rows are sorted by it */
        added->spare = 0;
    }
  }
}

/* Returns what COUNT rows of KIND are called. */
static const char *
row_noun(const struct diff *diff, enum diff_kind kind, size_t count)
{
  static const char *const nouns[DIFF_TABLES][2] = {
      [DIFF_TOTALS] = {"totals", "totals"},
      [DIFF_TYPES] = {"type", "types"},
      [DIFF_CONTEXTS] = {"context", "contexts"},
  };
  if (nouns[kind][0] != NULL)
    return nouns[kind][count != 1];
  if (view_is_of_holders(diff->sides[DIFF_NEW]))
    return count != 1 ? "holders" : "holder";
  return granularity_noun(diff->options->by, count != 1);
}

static void
write_left_out(const struct changes *changes, const struct left_out *left,
               struct sink *sink)
{
  const struct diff *diff = changes->diff;
  const char *unchanged = "", *small = "", *sum = "";
  if (left->unchanged > 0)
    unchanged = pool_format(" %zu unchanged %s%s", left->unchanged,
                            row_noun(diff, changes->kind, left->unchanged),
                            left->small > 0 ? "," : "");
  if (left->small > 0)
    small = pool_format(" %zu smaller change%s", left->small,
                        left->small == 1 ? "" : "s");
  /* Inclusive figures cannot be added up. */
  if (left->small > 0 && changes->kind != DIFF_INCLUSIVE)
    sum = pool_format(
        ", together %+" PRId64 " %s", left->sum,
        measure_row(diff->sides[DIFF_NEW]->profile, changes->order)->noun);
  report_paragraph(sink, pool_format("Left out:%s%s%s; --verbose shows them.",
                                     unchanged, small, sum));
}

void
diff_write_table(const struct diff *diff, enum diff_kind kind,
                 struct sink *sink)
{
  struct changes changes;
  struct listing listing;
  char title[64];
  snprintf(title, sizeof title, "%s%s", row_noun(diff, kind, 2),
           kind == DIFF_INCLUSIVE ? " with all below them" : "");
  for (char *c = title; *c != '\0'; c++)
    *c = (char)toupper((unsigned char)*c);
  report_heading(sink, title);
  describe(&changes, diff, kind, false);
  listing_init(&listing, &changes.table, diff->sides[DIFF_NEW], FORM_TEXT);
  const struct left_out *left = listing.context;
  if (listing.ranking.shown > 0) {
    text_report_rows(&listing, sink);
  } else if (left->small == 0) {
    sink_text(sink, "Nothing changed.\n");
  } else {
    sink_format(sink, "No %s changed by ", row_noun(diff, kind, 1));
    share_write(diff->options->min_share, sink);
    sink_text(sink, " % of the total or more.\n");
  }
  if (left->unchanged + left->small > 0)
    write_left_out(&changes, left, sink);
}

void
diff_explain(const struct diff *diff, struct sink *sink)
{
  const struct view *of = diff == NULL ? NULL : diff->sides[DIFF_OLD];
  struct changes changes = {.table = {COLUMNS(change_columns)}};
  if (diff != NULL)
    describe(&changes, diff, DIFF_FUNCTIONS, true);
  if (diff != NULL && !report_lacks_calls(of))
    of = diff->sides[DIFF_NEW];
  text_columns_explain(&changes.table, of, sink);
  report_legend(of, sink, "new, gone",
                "only in the new profile, only in the old one");
}
