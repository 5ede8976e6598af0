/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TYPES: what kinds of object were allocated. */

#include "tables/table.h"

enum id { CATEGORY, TYPE, CLASS, SHOWN_NAME };

static const struct column columns[] = {
    ALLOCS_COLUMN(0, "objects of this type, and their share of all objects"),
    BYTES_COLUMN("their bytes with their bodies, and the share of all bytes"),
    {AVERAGE(ALLOCS), HEADING(2, "bytes", "/alloc"), .use = USE_AVERAGES,
     .meaning = "so many bytes each, rounded"},
    {.id = CATEGORY, .keys = KEY("category"), .first = true,
     LEFT_HEADING(2, "category"),
     .meaning = "the column of the other tables that the type counts in"},
    {.id = TYPE, .keys = KEY("type"), .first = true, LEFT_HEADING(2, "type"),
     .total = "<TOTAL>",
     .meaning = "the Lisp type, or what the program calls the type"},
    {.id = CLASS, .keys = KEYS("class", "class", NULL), .first = true,
     LEFT_HEADING(2, "class"),
     .meaning = "the class, for instances and structures"},
    {.id = SHOWN_NAME, .keys = KEYS(NULL, NULL, "name")},
    ALL_COUNTS,
    ALL_MORE,
};

static size_t
count(const struct view *view)
{
  return view->reduction->profile->type_count;
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct profile *profile = view->reduction->profile;
  row->figures = &view->reduction->tally.types[item];
  row->name = tally_type_name(profile, &profile->types[item]);
  row->rank = profile->types[item].category;
  return true;
}

static struct cell
cell(const struct view *view, const struct ranking_row *row, int id)
{
  const struct profile *profile = view->reduction->profile;
  const struct profile_type *type = &profile->types[row->item];
  const char *category = category_name(profile->language, type->category);
  switch ((enum id)id) {
  case CATEGORY:
    return view->form == FORM_PAGE ? cell_number(type->category)
                                   : cell_text(category);
  case TYPE:
    return cell_text(names_text(&profile->names, type->type));
  case CLASS:
    return cell_text(names_text(&profile->names, type->class_name));
  default:
    return cell_text(*row->name != '\0' ? row->name
                     : profile->language == LANGUAGE_LISP ? "[unknown type]"
                                                          : category);
  }
}

const struct table types_table = {
    .title = "TYPES",
    .rows = "types",
    COLUMNS(columns),
    .count = count,
    .row = row,
    .cell = cell,
};
