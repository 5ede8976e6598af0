/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION BINS: sizes from 0 to 1024 bytes one by one, larger objects
 * together, bodies that grew by themselves, and what nobody knows the size
 * of; in CSV a row for each type in these.  By size unless another order is
 * asked for; with a limit, those with most bytes.
 */

#include "base/array.h"
#include "common/pprof_format.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

enum id { KIND, SIZE, TYPES, TYPE_NAMES };

enum { NAMES_SHOWN = 6 }; /* types named in a row, unless --verbose */

static const struct column columns[] = {
    {OWN(KIND), .keys = {"kind"}, .first = true},
    {OWN(SIZE), .keys = KEY("size"), .first = true, HEADING(0, NULL, "size"),
     .total = "all",
     .meaning = "bytes of one object with its body; \"> 1024\": all larger "
                "objects; \"grown\": bodies that grew later, which are not "
                "objects of their own"},
    {OWN(TYPES), .keys = KEYS(NULL, "category,type,class"), .first = true},
    ALLOCS_COLUMN(2, "objects of this size, and their share of all objects"),
    BYTES_COLUMN("their bytes, and their share of all bytes"),
    {FIGURE(ALLOCS), .of = OF_FREED, HEADING(2, NULL, "frees"),
     .use = USE_KEPT, .meaning = "number of these objects that were freed"},
    {FIGURE(KEPT_BYTES), .share = true, HEADING(2, NULL, "kept"),
     .use = USE_KEPT,
     .meaning = "bytes that were never freed, and their share of all such "
                "bytes"},
    LIVE_COLUMNS("of this size"),
    ALL_COUNTS,
    ALL_MORE,
    {OWN(TYPES), .keys = KEYS("types", NULL)},
    {OWN(TYPE_NAMES), .keys = {[FORM_JSON] = "names"},
     LEFT_HEADING(2, "types"), .total = "<TOTAL>",
     .meaning = "types that have this size, most bytes first"},
};

/* What stands in the place of a size, for programs and for people. */
static const struct {
  const char *word, *text;
} kinds[] = {
    [BIN_SIZE] = {"size", ""},
    [BIN_LARGE] = {"large", "> 1024"},
    [BIN_GROWTH] = {"grown", "grown"},
    [BIN_UNKNOWN] = {"unknown", "unknown"},
};

/* Orders names, "..." last. */
static int
compare_names(const void *left, const void *right)
{
  const char *a = *(const char *const *)left;
  const char *b = *(const char *const *)right;
  const int rest = (strcmp(a, "...") == 0) - (strcmp(b, "...") == 0);
  return rest != 0 ? rest : strcmp(a, b);
}

/* Writes the names of a C program's types of SIZE, at most MOST: from its
 * debug information, as comments "mprof.type=SIZE NAME" of the profile, where
 * "..." stands for more. */
static void
write_types_of_size(const struct profile *profile, uint64_t size, size_t most,
                    struct sink *sink)
{
  const char **names = pool_alloc(profile->comment_count * sizeof *names);
  size_t count = 0, shown = 0, left = 0;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = profile_comment_value(profile, i, PPROF_COMMENT_TYPE);
    char *end;
    if (text != NULL && strtoull(text, &end, 10) == size && *end == ' ')
      names[count++] = end + 1;
  }
  array_sort(names, count, sizeof *names, compare_names);
  for (size_t i = 0; i < count; i++)
    if (i > 0 && strcmp(names[i - 1], names[i]) == 0)
      continue;
    else if (shown < most || strcmp(names[i], "...") == 0)
      sink_format(sink, "%s%s", shown++ > 0 ? ", " : "", names[i]);
    else
      left++;
  if (left > 0)
    sink_format(sink, ", and %zu more", left);
  pool_free(names);
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct tally *tally = &listing->view->tally;
  bool csv = listing->form == FORM_CSV;
  if (item == (csv ? tally->part_count : tally->bin_count))
    return false;
  row->figures =
      csv ? &tally->parts[item].figures : &tally->bins[item].figures;
  row->rank = item;
  return true;
}

/* Returns the names of the types in BIN, those with most bytes first; where
 * none is known, those that the program has of the size. */
static const char *
type_names(const struct listing *listing, const struct tally_bin *bin)
{
  const struct profile *profile = listing->view->profile;
  const struct type_part *parts =
      listing->view->tally.parts + bin->first_part;
  struct sink *sink = &listing->text->sink;
  const bool all = listing->form == FORM_TEXT &&
                   listing->view->options->min_share == 0;
  const size_t most = all ? SIZE_MAX : NAMES_SHOWN;
  const char *separator = "";
  string_sink_clear(listing->text);
  for (size_t i = 0; i < bin->part_count && i < most; i++) {
    const char *name =
        tally_type_name(profile, &profile->types[parts[i].type]);
    if (*name != '\0') {
      sink_format(sink, "%s%s", separator, name);
      separator = ", ";
    }
  }
  if (bin->part_count > most)
    sink_format(sink, "%sand %zu more", separator, bin->part_count - most);
  if (*separator == '\0' && bin->kind == BIN_SIZE)
    write_types_of_size(profile, bin->size, most, sink);
  return string_sink_text(listing->text);
}

static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct tally *tally = &listing->view->tally;
  const struct type_part *parts = tally->parts;
  const bool csv = listing->form == FORM_CSV; /* rows are parts of bins */
  const struct tally_bin *bin =
      &tally->bins[csv ? parts[row->item].group : row->item];
  switch ((enum id)id) {
  case SIZE:
    if (bin->kind == BIN_SIZE || listing->form == FORM_JSON) {
      put_optional(out, bin->kind == BIN_SIZE, bin->size);
      break;
    }
    /* fall through */
  case KIND:
    put_keyword(out, listing->form == FORM_TEXT ? kinds[bin->kind].text
                                                : kinds[bin->kind].word);
    break;
  case TYPE_NAMES:
    put_text(out, type_names(listing, bin));
    break;
  default:
    put_parts(out, csv ? &parts[row->item] : &parts[bin->first_part],
              csv ? 1 : bin->part_count);
  }
}

const struct table bins_table = {
    .title = "ALLOCATION BINS",
    .rows = "sizes",
    .in_place = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
};
