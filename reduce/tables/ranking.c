/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sorts the rows of a table by one figure of each, and cuts off small ones.
 */

#include "tables/ranking.h"

#include "base/array.h"
#include "tables/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

void
ranking_add(struct ranking *ranking, struct ranking_row row)
{
  const struct figures *figures = ranking->inclusive && row.inclusive != NULL
                                      ? row.inclusive
                                      : row.figures;
  if (row.counts == NULL && figures != NULL)
    row.counts = figures->counts;
  ARRAY_PUSH(ranking->rows, ranking->count, ranking->capacity, row);
  ranking->shown = ranking->count;
}

/* Orders rows by rank, then by name, then by item. */
static int
compare_ranks(const void *left, const void *right)
{
  const struct ranking_row *a = left, *b = right;
  return array_order(a->rank, b->rank)
             ?: strcmp(a->name, b->name)
             ?: array_order(a->item, b->item);
}

/* Orders rows by key, bytes and allocations, descending, then by rank and
 * name. */
static int
compare_keys(const void *left, const void *right)
{
  const struct ranking_row *a = left, *b = right;
  return array_order(b->key, a->key)
             ?: array_order(b->bytes, a->bytes)
             ?: array_order(b->allocs, a->allocs)
             ?: compare_ranks(a, b);
}

/* Orders rows by name, then by rank. */
static int
compare_names(const void *left, const void *right)
{
  const struct ranking_row *a = left, *b = right;
  return strcmp(a->name, b->name) ?: compare_ranks(a, b);
}

enum measure
sort_measure(enum sort_key key)
{
  static const enum measure measures[] = {
      [SORT_ALLOCS] = MEASURE_ALLOCS,
      [SORT_KEPT] = MEASURE_KEPT_BYTES,
      [SORT_LIVE] = MEASURE_KEPT_BYTES,
      [SORT_PEAK] = MEASURE_PEAK_BYTES,
      [SORT_TEMPORARY] = MEASURE_TEMPORARY_ALLOCS,
      [SORT_SELF] = MEASURE_BYTES, /* as all others */
  };
  return measures[key];
}

/* Returns the measure that KEY sorts the rows of RANKING by. */
static enum measure
measure_of(const struct ranking *ranking, enum sort_key key)
{
  enum measure measure = sort_measure(key);
  return measure == MEASURE_BYTES    ? ranking->bytes
         : measure == MEASURE_ALLOCS ? measure_rows[ranking->bytes].as_allocs
                                     : measure;
}

static uint64_t
figure_of(const struct ranking *ranking, const struct ranking_row *row,
          enum sort_key key)
{
  if (key == SORT_CALLS)
    return row->calls == CALLS_UNKNOWN ? 0 : row->calls + 1;
  const enum measure measure = measure_of(ranking, key);
  if (key == SORT_INCLUSIVE)
    return row->inclusive == NULL ? 0 : row->inclusive->counts[measure];
  return (key == SORT_SELF ? row->figures->counts : row->counts)[measure];
}

/* Notes what breaks ties; the keys are there. */
static void
sort_rows(struct ranking *ranking, bool by_name)
{
  for (size_t i = 0; i < ranking->count; i++) {
    struct ranking_row *row = &ranking->rows[i];
    row->bytes = row->counts[ranking->bytes];
    row->allocs = row->counts[measure_rows[ranking->bytes].as_allocs];
  }
  array_sort(ranking->rows, ranking->count, sizeof *ranking->rows,
             by_name ? compare_names : compare_keys);
}

void
ranking_sort(struct ranking *ranking, enum sort_key key)
{
  bool any = false;
  for (size_t i = 0; i < ranking->count; i++) {
    ranking->rows[i].key = figure_of(ranking, &ranking->rows[i], key);
    any = any || ranking->rows[i].key != 0;
  }
  if (key != SORT_NAME && !any)
    key = SORT_BYTES;
  ranking->order = key == SORT_DEFAULT ? SORT_BYTES : key;
  sort_rows(ranking, key == SORT_NAME);
}

void
ranking_sort_by(struct ranking *ranking, enum measure measure)
{
  for (size_t i = 0; i < ranking->count; i++)
    ranking->rows[i].key = ranking->rows[i].counts[measure];
  sort_rows(ranking, false);
}

void
ranking_sort_keyed(struct ranking *ranking)
{
  array_sort(ranking->rows, ranking->count, sizeof *ranking->rows,
             compare_keys);
}

bool
share_reached(uint64_t part, uint64_t whole, uint32_t share)
{
  return (uint128)part * SHARE_WHOLE >= (uint128)whole * share;
}

/* Returns whether ROW has the share of TOTAL that OPTIONS ask for: of the
 * figure that rows are sorted by, unless nobody has a share of that. */
static bool
is_large(const struct ranking *ranking, const struct ranking_row *row,
         const struct figures *total, const struct view_options *options)
{
  enum sort_key order = ranking->order;
  bool by_bytes = order == SORT_BYTES || order == SORT_CALLS ||
                  order == SORT_SELF || order == SORT_NAME;
  return share_reached(by_bytes ? row->bytes : row->key,
                       total->counts[measure_of(ranking, order)],
                       options->min_share);
}

void
ranking_cut(struct ranking *ranking, const struct figures *total,
            const struct view_options *options)
{
  ranking->shown = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    struct ranking_row row = ranking->rows[i];
    if (is_large(ranking, &row, total, options) &&
        ranking->shown < options->limit) {
      ranking->rows[ranking->shown++] = row;
    } else {
      ranking->left_out_bytes += row.bytes;
      ranking->left_out_allocs += row.allocs;
    }
  }
}

void
ranking_by_rank(struct ranking *ranking)
{
  array_sort(ranking->rows, ranking->shown, sizeof *ranking->rows,
             compare_ranks);
}

void
share_write(uint32_t share, struct sink *sink)
{
  enum { ONE = SHARE_WHOLE / 100 };
  char digits[24];
  int length =
      snprintf(digits, sizeof digits, "%u.%04u", share / ONE, share % ONE);
  while (digits[length - 1] == '0')
    length--;
  if (digits[length - 1] == '.')
    length--;
  sink_bytes(sink, digits, (size_t)length);
}

void
ranking_note(const struct ranking *ranking, const struct view *view,
             const char *rows, const char *object, struct sink *sink)
{
  const struct view_options *options = view->options;
  size_t left_out = ranking->count - ranking->shown;
  bool small = options->min_share > 0;
  bool limited = options->limit != SIZE_MAX;
  struct string_sink note;
  struct sink *to = &note.sink;
  if (left_out == 0)
    return;
  string_sink_init(&note);
  sink_format(to, "Left out: %zu of %zu %s", left_out, ranking->count, rows);
  if (small) {
    sink_text(to, " below ");
    share_write(options->min_share, to);
    sink_format(
        to, " %% of the %s",
        ranking->noun != NULL
            ? ranking->noun
            : measure_row(view->profile, measure_of(ranking, ranking->order))
                  ->noun);
  }
  if (limited)
    sink_format(to, "%s beyond the limit of %zu", small ? " or" : "",
                options->limit);
  sink_format(to, ", with %s",
              report_count(ranking->left_out_allocs, object));
  if (measure_rows[ranking->bytes].bytes)
    sink_format(to, " of %s", report_count(ranking->left_out_bytes, "byte"));
  sink_text(to, small && !limited ? "; --verbose shows them." : ".");
  report_paragraph(sink, string_sink_text(&note));
}
