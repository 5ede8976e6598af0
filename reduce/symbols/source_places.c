/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ranges of units come from the units themselves: not every compiler
 * writes the table of them.  A unit is gone through once; its functions, and
 * what was inlined into them, become two sorted arrays.
 */

#include "symbols/code_file.h"

#include "base/array.h"

#include <dwarf.h>

enum { MOST_DEPTH = 200 }; /* of blocks in blocks that are looked into */

/* A piece of code of a unit, a function, or what was inlined into one. */
struct source_code {
  uint64_t low, high;
  size_t unit;      /* number */
  const char *file; /* where it is declared, or called from */
  int64_t line;
};

struct source_unit {
  Dwarf_Die die;
  bool read;
  struct source_codes functions, inlined;
};

/* Adds CODE once for each range of DIE. */
static bool
add_code(struct source_codes *codes, Dwarf_Die *die, struct source_code code)
{
  Dwarf_Addr base;
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges(die, at, &base, &code.low, &code.high)) > 0;)
    if (code.high > code.low &&
        !ARRAY_PUSH(codes->items, codes->count, codes->capacity, code))
      return false;
  return true;
}

static int
compare_codes(const void *left, const void *right)
{
  const struct source_code *a = left;
  const struct source_code *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void
sort_codes(struct source_codes *codes)
{
  array_sort(codes->items, codes->count, sizeof *codes->items, compare_codes);
}

/* The code with ADDRESS in it, NULL when there is none.  Ranges of units, of
 * functions, and of what was inlined, do not overlap. */
static const struct source_code *
find_code(const struct source_codes *codes, uint64_t address)
{
  size_t before = array_count_until(codes->items, codes->count,
                                    sizeof *codes->items, address);
  return before > 0 && address < codes->items[before - 1].high
             ? &codes->items[before - 1]
             : NULL;
}

bool
source_places_init(struct source_places *places, Dwarf *information)
{
  Dwarf_CU *cu = NULL;
  Dwarf_Die die;
  memset(places, 0, sizeof *places);
  while (information != NULL &&
         dwarf_get_units(information, cu, &cu, NULL, NULL, &die, NULL) == 0) {
    struct source_code code = {.unit = places->unit_count};
    if (dwarf_tag(&die) != DW_TAG_compile_unit)
      continue;
    if (!ARRAY_PUSH(places->units, places->unit_count, places->unit_capacity,
                    (struct source_unit){.die = die}) ||
        !add_code(&places->ranges, &die, code))
      return false;
  }
  sort_codes(&places->ranges);
  return true;
}

void
source_places_release(struct source_places *places)
{
  for (size_t i = 0; i < places->unit_count; i++) {
    free(places->units[i].functions.items);
    free(places->units[i].inlined.items);
  }
  free(places->units);
  free(places->ranges.items);
  memset(places, 0, sizeof *places);
}

/* ---- reading a unit --------------------------------------------------- */

/* The number that the attribute NAME of DIE is, 0 when there is none. */
static int64_t
number_of(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  return dwarf_attr(die, name, &attribute) != NULL &&
                 dwarf_formudata(&attribute, &number) == 0
             ? (int64_t)number
             : 0;
}

static const char *
calling_file(struct source_unit *unit, Dwarf_Die *die)
{
  Dwarf_Files *files;
  size_t count;
  int64_t index = number_of(die, DW_AT_call_file);
  if (index <= 0 || dwarf_getsrcfiles(&unit->die, &files, &count) != 0)
    return NULL;
  return dwarf_filesrc(files, (size_t)index, NULL, NULL);
}

/* Adds what is in the children of DIE. */
static bool
read_children(struct source_unit *unit, Dwarf_Die *die, int depth)
{
  Dwarf_Die child;
  if (depth == MOST_DEPTH || dwarf_child(die, &child) != 0)
    return true;
  do {
    int line = 0;
    struct source_code code = {0};
    switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
      dwarf_decl_line(&child, &line);
      code.file = dwarf_decl_file(&child);
      code.line = line;
      if (!add_code(&unit->functions, &child, code) ||
          !read_children(unit, &child, depth + 1))
        return false;
      break;
    case DW_TAG_inlined_subroutine:
      code.file = calling_file(unit, &child);
      code.line = number_of(&child, DW_AT_call_line);
      if (!add_code(&unit->inlined, &child, code))
        return false;
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
      if (!read_children(unit, &child, depth + 1))
        return false;
      break;
    default:
      break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return true;
}

static bool
read_unit(struct source_unit *unit)
{
  if (unit->read)
    return true;
  unit->read = true;
  if (!read_children(unit, &unit->die, 0))
    return false;
  sort_codes(&unit->functions);
  sort_codes(&unit->inlined);
  return true;
}

bool
source_places_find(struct source_places *places, uint64_t address,
                   struct source_place *place)
{
  const struct source_code *range = find_code(&places->ranges, address);
  memset(place, 0, sizeof *place);
  if (range == NULL)
    return true;
  struct source_unit *unit = &places->units[range->unit];
  if (!read_unit(unit))
    return false;
  const struct source_code *function = find_code(&unit->functions, address);
  const struct source_code *inlined = find_code(&unit->inlined, address);
  Dwarf_Line *line;
  int number = 0;
  if (function != NULL) {
    place->file = function->file;
    place->start_line = function->line;
  }
  if (inlined != NULL) {
    place->line = inlined->line;
  } else if ((line = dwarf_getsrc_die(&unit->die, address)) != NULL &&
             dwarf_lineno(line, &number) == 0) {
    place->line = number;
    if (place->file == NULL)
      place->file = dwarf_linesrc(line, NULL, NULL);
  }
  return true;
}
