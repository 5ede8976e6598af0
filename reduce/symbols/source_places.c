/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ranges of units come from the units themselves: not every compiler
 * writes the table of them.  A unit is gone through once; its functions
 * become a sorted array.  Inlined calls are looked for in the function with
 * the address.
 */

#include "symbols/code_file.h"

#include <dwarf.h>

/* A piece of code of a unit or a function. */
struct source_code {
  uint64_t low, high;
  size_t unit;   /* number */
  Dwarf_Die die; /* of the function */
  const void *origin;
};

struct source_unit {
  Dwarf_Die die; /* of its functions; in the .dwo file where that is found */
  Dwarf_Die lines; /* of its lines, which are always here */
  bool read;
  struct source_codes functions;
};

/* Adds CODE once for each range of DIE. */
static void
add_code(struct source_codes *codes, Dwarf_Die *die, struct source_code code)
{
  Dwarf_Addr base;
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges(die, at, &base, &code.low, &code.high)) > 0;)
    if (code.high > code.low)
      ARRAY_PUSH(codes->items, codes->count, codes->capacity, code);
}

static int
compare_codes(const void *left, const void *right)
{
  const struct source_code *a = left, *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  if (a->unit != b->unit)
    return a->unit < b->unit ? -1 : 1;
  return (uintptr_t)a->die.addr < (uintptr_t)b->die.addr ? -1 : 1;
}

static void
sort_codes(struct source_codes *codes)
{
  array_sort(codes->items, codes->count, sizeof *codes->items, compare_codes);
}

/* Returns the code with ADDRESS in it, or NULL.  Ranges of units do
 * not overlap, nor do those of functions. */
static const struct source_code *
find_code(const struct source_codes *codes, uint64_t address)
{
  size_t before = array_count_until(codes->items, codes->count,
                                    sizeof *codes->items, address);
  return before > 0 && address < codes->items[before - 1].high
             ? &codes->items[before - 1]
             : NULL;
}

struct source_places
source_places_of(Dwarf *information)
{
  struct source_places places = {0};
  Dwarf_CU *cu = NULL;
  Dwarf_Die die, split;
  while (information != NULL && dwarf_get_units(information, cu, &cu, NULL,
                                                NULL, &die, &split) == 0) {
    struct source_code code = {.unit = places.unit_count};
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
      continue;
    const bool is_split = dwarf_tag(&split) == DW_TAG_compile_unit;
    ARRAY_PUSH(
        places.units, places.unit_count, places.unit_capacity,
        (struct source_unit){.die = is_split ? split : die, .lines = die});
    add_code(&places.ranges, &die, code);
  }
  sort_codes(&places.ranges);
  return places;
}

/* ---- reading a unit --------------------------------------------------- */

/* Returns what the function DIE is a copy of; NULL if it is not a copy. */
static const void *
origin_of(Dwarf_Die *die)
{
  Dwarf_Die origin;
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute),
                           &origin) == NULL
             ? NULL
             : origin.addr;
}

/* Adds the functions among the children of DIE, and in these. */
static void
read_children(struct source_unit *unit, Dwarf_Die *die, int depth)
{
  Dwarf_Die child;
  if (depth == SOURCE_DEPTH || dwarf_child(die, &child) != 0)
    return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram)
      add_code(
          &unit->functions, &child,
          (struct source_code){.die = child, .origin = origin_of(&child)});
    if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
        tag == DW_TAG_namespace || tag == DW_TAG_module)
      read_children(unit, &child, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/* ---- one place --------------------------------------------------------- */

/* Returns the number that the attribute NAME of DIE is, 0 without it. */
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

/* Returns what the linker calls the function DIE, or would; NULL when that is
 * not known. */
static const char *
symbol_of(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  const char *symbol = dwarf_formstring(
      dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
  return symbol != NULL ? symbol
                        : dwarf_formstring(dwarf_attr_integrate(
                              die, DW_AT_MIPS_linkage_name, &attribute));
}

/* Returns where the function that DIE, inlined, is one of stands by itself in
 * UNIT; 0 when it does not. */
static uint64_t
own_start(const struct source_unit *unit, Dwarf_Die *die)
{
  const void *origin = origin_of(die);
  Dwarf_Addr start = 0;
  for (size_t i = 0; origin != NULL && i < unit->functions.count; i++) {
    struct source_code *function = &unit->functions.items[i];
    if (function->origin == origin &&
        dwarf_entrypc(&function->die, &start) == 0)
      break;
  }
  return start;
}

/* Sets TYPE to what the attribute NAME of DIE leads to, without typedefs and
 * qualifiers.  Returns false without it. */
static bool
follow(Dwarf_Die *die, unsigned name, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(die, name, &attribute),
                           type) != NULL &&
         dwarf_peel_type(type, type) == 0;
}

/* Returns the file whose number is ATTRIBUTE of the unit of DIE; NULL when
 * that is not known.  (dwarf_decl_file of elfutils 0.188 knows no number 0,
 * which Clang gives the file of the unit itself, and aborts in files apart.)
 */
static const char *
numbered_file(Dwarf_Die *die, Dwarf_Attribute *attribute)
{
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  if (dwarf_formudata(attribute, &number) != 0 ||
      dwarf_diecu(die, &unit, NULL, NULL) == NULL ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0)
    return NULL;
  const char *file = dwarf_filesrc(files, number, NULL, NULL);
  return file != NULL && strcmp(file, "???") == 0 ? NULL : file;
}

const char *
declaration_file(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return numbered_file(
      die, dwarf_attr_integrate(die, DW_AT_decl_file, &attribute));
}

/* Sets FILE and LINE to where the function DIE is declared.  A lambda has
 * only what it points to, its own type, which is. */
static void
declaration_of(Dwarf_Die *die, const char **file, int64_t *line)
{
  Dwarf_Die type;
  int number = 0;
  *file = declaration_file(die);
  if (*file == NULL && follow(die, DW_AT_object_pointer, &type) &&
      follow(&type, DW_AT_type, &type) && follow(&type, DW_AT_type, &type)) {
    die = &type;
    *file = declaration_file(die);
  }
  dwarf_decl_line(die, &number);
  *line = number;
}

/* Adds the function DIE of UNIT, active or inlined, to PLACE. */
static void
add_function(struct source_place *place, const struct source_unit *unit,
             Dwarf_Die *die)
{
  struct source_function *function = &place->functions[place->count++];
  *function = (struct source_function){.name = dwarf_diename(die),
                                       .symbol = symbol_of(die),
                                       .start = own_start(unit, die)};
  declaration_of(die, &function->file, &function->start_line);
}

/* Sets DIE, a function or a part of one, to the part of it with ADDRESS in
 * it.  Returns false without such a part. */
static bool
enter_part(Dwarf_Die *die, uint64_t address)
{
  if (dwarf_child(die, die) != 0)
    return false;
  do {
    int tag = dwarf_tag(die);
    if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
        dwarf_haspc(die, address) > 0)
      return true;
  } while (dwarf_siblingof(die, die) == 0);
  return false;
}

/* Adds the function DIE of UNIT to PLACE, and what was inlined at ADDRESS:
 * each but the last with the line where the next was put. */
static void
add_functions(struct source_place *place, const struct source_unit *unit,
              Dwarf_Die die, uint64_t address)
{
  add_function(place, unit, &die);
  for (int i = 0; i < SOURCE_DEPTH && enter_part(&die, address); i++)
    if (dwarf_tag(&die) == DW_TAG_inlined_subroutine) {
      Dwarf_Attribute file;
      struct source_function *caller = &place->functions[place->count - 1];
      caller->line = number_of(&die, DW_AT_call_line);
      caller->line_file =
          numbered_file(&die, dwarf_attr(&die, DW_AT_call_file, &file));
      add_function(place, unit, &die);
    }
}

void
source_places_find(struct source_places *places, uint64_t address,
                   struct source_place *place)
{
  const struct source_code *range = find_code(&places->ranges, address);
  place->count = 0;
  if (range == NULL)
    return;
  struct source_unit *unit = &places->units[range->unit];
  if (!unit->read) {
    unit->read = true;
    read_children(unit, &unit->die, 0);
    sort_codes(&unit->functions);
  }
  const struct source_code *code = find_code(&unit->functions, address);
  Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
  int number = 0;
  if (code != NULL)
    add_functions(place, unit, code->die, address);
  else if (line != NULL)
    place->functions[place->count++] =
        (struct source_function){.file = dwarf_linesrc(line, NULL, NULL)};
  if (line != NULL && dwarf_lineno(line, &number) == 0) {
    place->functions[place->count - 1].line = number;
    place->functions[place->count - 1].line_file =
        dwarf_linesrc(line, NULL, NULL);
  }
}
