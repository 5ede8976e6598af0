/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION BINS: sizes from 0 to 1024 bytes one by one, larger objects
 * together, bodies that grew by themselves, and what nobody knows the size
 * of.  By size unless another order is asked for; when there may only be so
 * many, those with most bytes.
 */

#include "base/array.h"
#include "common/pprof_format.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

enum id { KIND, SIZE, TYPES, TYPE_NAMES, PARTS };

enum {
  NAMES_SHOWN = 6,  /* types named in a row, unless -verbose */
  NAMES_ON_PAGE = 4 /* of a C program; of Lisp the largest is named */
};

static const struct column columns[] = {
    {.id = KIND, .keys = {"kind", NULL, NULL, "kind"}, .first = true},
    {.id = SIZE, .keys = KEY("size"), .first = true, HEADING(0, NULL, "size"),
     .total = "all",
     .meaning = "bytes of one object with its body; \"> 1024\": larger "
                "objects together; \"grown\": bodies that grew later, which "
                "are no objects of their own"},
    {.id = TYPES, .keys = {NULL, NULL, "category,type,class", NULL},
     .first = true},
    ALLOCS_COLUMN(2, "objects of this size, and their share of all objects"),
    BYTES_COLUMN("their bytes, and the share of all bytes"),
    {FIGURE(ALLOCS), .of = OF_FREED, HEADING(2, NULL, "frees"),
     .use = USE_KEPT, .meaning = "how many of them were freed"},
    {FIGURE(KEPT_BYTES), .share = true, HEADING(2, NULL, "kept"),
     .use = USE_KEPT,
     .meaning = "bytes that were never freed, and the share of all such "
                "bytes"},
    ALL_COUNTS,
    ALL_MORE,
    {.id = TYPES, .keys = {"types", "types", NULL, NULL}},
    {.id = PARTS, .keys = KEYS(NULL, NULL, "parts")},
    {.id = TYPE_NAMES, .keys = KEYS(NULL, NULL, "largest"),
     LEFT_HEADING(2, "types"), .total = "<TOTAL>",
     .meaning = "what has this size, most bytes first"},
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

static const struct tally_bin *
bin_of(const struct view *view, size_t item)
{
  return &view->reduction->tally.bins[item];
}

/* The names of a C program's types by size, from its debug information: the
 * comments "mprof.type=SIZE NAME" of a profile.  Of a size few are looked
 * for, and by going through all. */
struct named_type {
  uint64_t size;
  const char *name; /* of the profile; "...": there are more */
};

struct size_types {         /* by size, then by name, "..." last */
  struct named_type *items; /* owned */
  size_t count;
};

static int
compare_types(const void *left, const void *right)
{
  const struct named_type *a = left;
  const struct named_type *b = right;
  bool rest[] = {strcmp(a->name, "...") == 0, strcmp(b->name, "...") == 0};
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return rest[0] != rest[1] ? rest[0] - rest[1] : strcmp(a->name, b->name);
}

static bool
init(struct view *view)
{
  const struct profile *profile = view->reduction->profile;
  struct size_types *types = view->context;
  size_t count = 0;
  types->items = array_zeroed(profile->comment_count, sizeof *types->items);
  if (types->items == NULL)
    return false;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = profile_comment_value(profile, i, PPROF_COMMENT_TYPE);
    char *end;
    if (text == NULL)
      continue;
    uint64_t size = strtoull(text, &end, 10);
    if (*end == ' ')
      types->items[count++] = (struct named_type){size, end + 1};
  }
  array_sort(types->items, count, sizeof *types->items, compare_types);
  for (size_t i = 0; i < count; i++)
    if (types->count == 0 ||
        compare_types(&types->items[types->count - 1], &types->items[i]) != 0)
      types->items[types->count++] = types->items[i];
  return true;
}

/* Writes the names of TYPES of SIZE, at most MOST. */
static void
write_types_of_size(const struct size_types *types, uint64_t size,
                    size_t most, struct sink *sink)
{
  size_t shown = 0;
  size_t left = 0;
  for (size_t i = 0; i < types->count; i++) {
    const struct named_type *type = &types->items[i];
    if (type->size != size)
      continue;
    if (shown < most || strcmp(type->name, "...") == 0)
      sink_format(sink, "%s%s", shown++ > 0 ? ", " : "", type->name);
    else
      left++;
  }
  if (left > 0)
    sink_format(sink, ", and %zu more", left);
}

static void
release(void *context)
{
  free(((struct size_types *)context)->items);
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  if (item == view->reduction->tally.bin_count)
    return false;
  row->figures = &bin_of(view, item)->figures;
  row->rank = item;
  return true;
}

static bool
part(const struct view *view, size_t item, size_t number, struct part *part)
{
  const struct tally_bin *bin = bin_of(view, item);
  if (number == bin->part_count)
    return false;
  const struct tally_part *p =
      &view->reduction->tally.parts[bin->first_part + number];
  *part = (struct part){p->type, p->figures.bytes, p->figures.allocs,
                        &p->figures};
  return true;
}

/* The names of the types in BIN, those with most bytes first; where none is
 * known, those that the program has of the size. */
static struct cell
type_names(const struct view *view, const struct tally_bin *bin)
{
  const struct profile *profile = view->reduction->profile;
  struct sink *sink = &view->text->sink;
  bool page = view->form == FORM_PAGE;
  size_t most = page ? NAMES_ON_PAGE
                : view->reduction->options->min_share == 0 ? SIZE_MAX
                                                           : NAMES_SHOWN;
  size_t named = page ? 1 : most;
  const char *separator = "";
  struct part p;
  string_sink_clear(view->text);
  for (size_t i = 0; part(view, (size_t)(bin - bin_of(view, 0)), i, &p);
       i++) {
    if (i == named) {
      if (!page)
        sink_format(sink, "%sand %zu more", separator,
                    bin->part_count - named);
      break;
    }
    const char *name = tally_type_name(profile, &profile->types[p.type]);
    if (*name != '\0') {
      sink_format(sink, "%s%s", separator, name);
      separator = ", ";
    }
  }
  if (*separator == '\0' && bin->kind == BIN_SIZE)
    write_types_of_size(view->context, bin->size, most, sink);
  return view_text(view);
}

static struct cell
kind_cell(const struct view *view, enum bin_kind kind)
{
  bool people = view->form == FORM_TEXT || view->form == FORM_PAGE;
  return (struct cell){.kind =
                           view->form == FORM_LISP ? CELL_KEYWORD : CELL_TEXT,
                       .text = people ? kinds[kind].text : kinds[kind].word};
}

static struct cell
cell(const struct view *view, const struct ranking_row *row, int id)
{
  const struct tally_bin *bin = bin_of(view, row->item);
  switch ((enum id)id) {
  case SIZE:
    return bin->kind == BIN_SIZE ? cell_number(bin->size)
           : view->form == FORM_JSON || view->form == FORM_PAGE
               ? cell_optional(false, 0)
               : kind_cell(view, bin->kind);
  case KIND:
    return kind_cell(view, bin->kind);
  case PARTS:
    return cell_number(bin->part_count);
  case TYPE_NAMES:
    return type_names(view, bin);
  default:
    return (struct cell){.kind = CELL_PARTS};
  }
}

const struct table bins_table = {
    .title = "ALLOCATION BINS",
    .rows = "sizes",
    .in_place = true,
    .keeps_empty = true,
    .by_parts = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .part = part,
    .context_bytes = sizeof(struct size_types),
    .init = init,
    .release = release,
};
