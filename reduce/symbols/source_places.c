/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ranges of units come from the units themselves: not every compiler
 * writes the table of them.  A unit is gone through once; its functions, and
 * what was inlined into them, become two sorted arrays.
 */

#include "symbols/source_places.h"

#include "base/array.h"

#include <dwarf.h>
#include <string.h>

enum { MOST_DEPTH = 200 }; /* of blocks in blocks that are looked into */

/* The code of a function, or of what was inlined into one. */
struct source_code {
  uint64_t low, high;
  const char *file; /* where it is declared, or called from */
  int64_t line;
};

struct source_codes { /* by low once complete */
  struct source_code *items;
  size_t count, capacity;
};

struct source_unit {
  Dwarf_Die die;
  bool read;
  struct source_codes functions, inlined;
};

/* ---- units ------------------------------------------------------------ */

static bool
add_range(struct source_places *places, uint64_t low, uint64_t high)
{
  struct source_range *ranges =
      array_reserve(places->ranges, &places->range_capacity,
                    places->range_count + 1, sizeof *ranges);
  if (ranges == NULL)
    return false;
  places->ranges = ranges;
  ranges[places->range_count++] =
      (struct source_range){low, high, places->unit_count - 1};
  return true;
}

static bool
add_unit(struct source_places *places, const Dwarf_Die *die)
{
  Dwarf_Die copy = *die;
  Dwarf_Addr base;
  Dwarf_Addr low;
  Dwarf_Addr high;
  struct source_unit *units =
      array_reserve(places->units, &places->unit_capacity,
                    places->unit_count + 1, sizeof *units);
  if (units == NULL)
    return false;
  places->units = units;
  units[places->unit_count++] = (struct source_unit){.die = *die};
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges(&copy, at, &base, &low, &high)) > 0;)
    if (high > low && !add_range(places, low, high))
      return false;
  return true;
}

static int
compare_ranges(const void *left, const void *right)
{
  const struct source_range *a = left;
  const struct source_range *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return a->unit < b->unit ? -1 : a->unit > b->unit;
}

bool
source_places_init(struct source_places *places, Dwarf *information)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  memset(places, 0, sizeof *places);
  while (information != NULL && dwarf_get_units(information, unit, &unit,
                                                NULL, NULL, &die, NULL) == 0)
    if (dwarf_tag(&die) == DW_TAG_compile_unit && !add_unit(places, &die))
      return false;
  array_sort(places->ranges, places->range_count, sizeof *places->ranges,
             compare_ranges);
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
  free(places->ranges);
  memset(places, 0, sizeof *places);
}

/* ---- reading a unit --------------------------------------------------- */

/* Adds CODE once for each range of DIE. */
static bool
add_code(struct source_codes *codes, Dwarf_Die *die, struct source_code code)
{
  Dwarf_Addr base;
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges(die, at, &base, &code.low, &code.high)) > 0;) {
    struct source_code *items = array_reserve(
        codes->items, &codes->capacity, codes->count + 1, sizeof *items);
    if (items == NULL)
      return false;
    codes->items = items;
    if (code.high > code.low)
      items[codes->count++] = code;
  }
  return true;
}

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
    struct source_code code;
    switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
      dwarf_decl_line(&child, &line);
      code =
          (struct source_code){.file = dwarf_decl_file(&child), .line = line};
      if (!add_code(&unit->functions, &child, code) ||
          !read_children(unit, &child, depth + 1))
        return false;
      break;
    case DW_TAG_inlined_subroutine:
      code = (struct source_code){.file = calling_file(unit, &child),
                                  .line = number_of(&child, DW_AT_call_line)};
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

static int
compare_codes(const void *left, const void *right)
{
  const struct source_code *a = left;
  const struct source_code *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return a->high < b->high ? -1 : a->high > b->high;
}

static bool
read_unit(struct source_unit *unit)
{
  if (unit->read)
    return true;
  unit->read = true;
  if (!read_children(unit, &unit->die, 0))
    return false;
  array_sort(unit->functions.items, unit->functions.count,
             sizeof *unit->functions.items, compare_codes);
  array_sort(unit->inlined.items, unit->inlined.count,
             sizeof *unit->inlined.items, compare_codes);
  return true;
}

/* ---- finding ---------------------------------------------------------- */

/* The code with ADDRESS in it, NULL when there is none.  Ranges of functions,
 * and those of what was inlined, do not overlap. */
static const struct source_code *
find_code(const struct source_codes *codes, uint64_t address)
{
  size_t low = 0;
  size_t high = codes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (codes->items[middle].low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && address < codes->items[low - 1].high
             ? &codes->items[low - 1]
             : NULL;
}

static struct source_unit *
find_unit(struct source_places *places, uint64_t address)
{
  size_t low = 0;
  size_t high = places->range_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places->ranges[middle].low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && address < places->ranges[low - 1].high
             ? &places->units[places->ranges[low - 1].unit]
             : NULL;
}

bool
source_places_find(struct source_places *places, uint64_t address,
                   struct source_place *place)
{
  struct source_unit *unit = find_unit(places, address);
  memset(place, 0, sizeof *place);
  if (unit == NULL)
    return true;
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
