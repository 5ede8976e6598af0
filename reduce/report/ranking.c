/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sorting by qsort with one comparator for each order. */

#include "report/ranking.h"

#include "profile/array.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

void
ranking_init(struct ranking *ranking)
{
  memset(ranking, 0, sizeof *ranking);
}

void
ranking_release(struct ranking *ranking)
{
  free(ranking->rows);
  ranking_init(ranking);
}

bool
ranking_add(struct ranking *ranking, struct ranking_row row)
{
  struct ranking_row *rows = array_reserve(ranking->rows, &ranking->capacity,
                                           ranking->count + 1, sizeof *rows);
  if (rows == NULL)
    return false;
  ranking->rows = rows;
  rows[ranking->count++] = row;
  ranking->shown = ranking->count;
  return true;
}

static int
descending(uint64_t a, uint64_t b)
{
  return a > b ? -1 : a < b;
}

/* By rank, then by name, then by item. */
static int
break_tie(const struct ranking_row *a, const struct ranking_row *b)
{
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  int order = strcmp(a->name, b->name);
  if (order != 0)
    return order;
  return a->item < b->item ? -1 : a->item > b->item;
}

/* By bytes and allocations, descending, then by rank and name. */
static int
compare_bytes(const void *left, const void *right)
{
  const struct ranking_row *a = left;
  const struct ranking_row *b = right;
  int order = descending(a->bytes, b->bytes);
  if (order == 0)
    order = descending(a->allocs, b->allocs);
  return order != 0 ? order : break_tie(a, b);
}

/* By allocations and bytes, descending, then by rank and name. */
static int
compare_allocs(const void *left, const void *right)
{
  const struct ranking_row *a = left;
  const struct ranking_row *b = right;
  int order = descending(a->allocs, b->allocs);
  if (order == 0)
    order = descending(a->bytes, b->bytes);
  return order != 0 ? order : break_tie(a, b);
}

/* By name, then by rank. */
static int
compare_names(const void *left, const void *right)
{
  const struct ranking_row *a = left;
  const struct ranking_row *b = right;
  int order = strcmp(a->name, b->name);
  return order != 0 ? order : break_tie(a, b);
}

void
ranking_sort(struct ranking *ranking, enum sort_key key)
{
  if (key == SORT_DEFAULT)
    return;
  array_sort(ranking->rows, ranking->count, sizeof *ranking->rows,
             key == SORT_ALLOCS ? compare_allocs
             : key == SORT_NAME ? compare_names
                                : compare_bytes);
}

bool
share_reached(uint64_t part, uint64_t whole, uint32_t share)
{
  return (uint128)part * SHARE_WHOLE >= (uint128)whole * share;
}

void
ranking_cut(struct ranking *ranking, const struct figures *total,
            const struct options *options)
{
  ranking->shown = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    struct ranking_row row = ranking->rows[i];
    bool reached =
        options->sort == SORT_ALLOCS
            ? share_reached(row.allocs, total->allocs, options->min_share)
            : share_reached(row.bytes, total->bytes, options->min_share);
    if (reached && ranking->shown < options->limit) {
      ranking->rows[ranking->shown++] = row;
    } else {
      ranking->left_out_bytes += row.bytes;
      ranking->left_out_allocs += row.allocs;
    }
  }
}

/* By rank, then by name, then by item. */
static int
compare_ranks(const void *left, const void *right)
{
  return break_tie(left, right);
}

void
ranking_by_rank(struct ranking *ranking)
{
  array_sort(ranking->rows, ranking->shown, sizeof *ranking->rows,
             compare_ranks);
}

void
ranking_note(const struct ranking *ranking, const struct options *options,
             const char *rows, struct sink *sink)
{
  size_t left_out = ranking->count - ranking->shown;
  if (left_out == 0)
    return;
  sink_format(sink, "\n  Left out: %zu %s", left_out, rows);
  if (options->min_share > 0) {
    sink_format(sink, " below %u", options->min_share / (SHARE_WHOLE / 100));
    uint32_t rest = options->min_share % (SHARE_WHOLE / 100);
    if (rest > 0) {
      char digits[16];
      int length = snprintf(digits, sizeof digits, "%04u", rest);
      while (length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
      sink_format(sink, ".%s", digits);
    }
    sink_format(sink, " %% of the %s",
                options->sort == SORT_ALLOCS ? "allocations" : "bytes");
  }
  if (options->limit != SIZE_MAX)
    sink_format(sink, "%s beyond the limit of %zu",
                options->min_share > 0 ? " or" : "", options->limit);
  sink_format(sink, ", with %llu allocations of %llu bytes%s.\n",
              (unsigned long long)ranking->left_out_allocs,
              (unsigned long long)ranking->left_out_bytes,
              options->min_share > 0 ? "; -verbose shows them" : "");
}
