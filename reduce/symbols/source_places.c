/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions and the types of a file's debug information.
 *
 * The ranges of units come from the units themselves: not every compiler
 * writes the table of them.  A unit is gone through once; its functions
 * become a sorted array.  Inlined calls are looked for in the function with
 * the address.
 */

#include "symbols/code_file.h"

#include <dwarf.h>
#include <stdio.h>

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
  return array_order(a->low, b->low)
             ?: array_order(a->high, b->high)
             ?: array_order(a->unit, b->unit)
             ?: array_order((uintptr_t)a->die.addr, (uintptr_t)b->die.addr);
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

/* Returns the file that DIE is declared in; NULL when not known. */
static const char *
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

/* ---- types --------------------------------------------------------------
 */

/* Types in functions are left out: to find them all functions would have to
 * be read.  In C a structure goes by "struct NAME", as a program has it;
 * in other languages by its name with those around it. */

enum { MOST_DEPTH = 64, MOST_NAME = 512 };

static bool
is_of_system(Dwarf_Die *die)
{
  const char *file = declaration_file(die);
  return file == NULL || strncmp(file, "/usr/include/", 13) == 0 ||
         strncmp(file, "/usr/lib/", 9) == 0;
}

static bool
is_aggregate(Dwarf_Die *die)
{
  int tag = dwarf_tag(die);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type;
}

/* Sets *SIZE to that of an aggregate DIE, or of the aggregate or array that
 * the typedef DIE stands for; false when it is neither. */
static bool
size_of_type(Dwarf_Die *die, Dwarf_Word *size)
{
  Dwarf_Die type;
  if (is_aggregate(die))
    return dwarf_hasattr(die, DW_AT_declaration) == 0 &&
           dwarf_aggregate_size(die, size) == 0;
  return dwarf_tag(die) == DW_TAG_typedef && follow(die, DW_AT_type, &type) &&
         (is_aggregate(&type) || dwarf_tag(&type) == DW_TAG_array_type) &&
         dwarf_aggregate_size(&type, size) == 0;
}

static bool
is_c(Dwarf_Die *unit)
{
  const int language = dwarf_srclang(unit);
  return language == DW_LANG_C || language == DW_LANG_C89 ||
         language == DW_LANG_C99 || language == DW_LANG_C11;
}

/* What is read. */
struct type_reading {
  struct row_table *types;
  struct names *names;
  bool c; /* the unit in hand is in C */
};

/* Adds the types among the children of PARENT, which is called PREFIX. */
static void
read_types(const struct type_reading *reading, Dwarf_Die *parent,
           const char *prefix, int depth)
{
  Dwarf_Die child;
  char name[MOST_NAME];
  if (depth == MOST_DEPTH || dwarf_child(parent, &child) != 0)
    return;
  do {
    bool space = dwarf_tag(&child) == DW_TAG_namespace;
    bool aggregate = is_aggregate(&child);
    bool scope = space || (aggregate && !reading->c);
    const char *keyword = "";
    const char *own = dwarf_diename(&child);
    Dwarf_Word size;
    bool wanted = size_of_type(&child, &size) && !is_of_system(&child);
    if (own == NULL && space)
      own = "(anonymous namespace)";
    if (own == NULL || (!wanted && !scope))
      continue;
    if (aggregate && reading->c)
      keyword = dwarf_tag(&child) == DW_TAG_union_type ? "union " : "struct ";
    snprintf(name, sizeof name, "%s%s%s", prefix, keyword, own);
    if (wanted) {
      const uint64_t row[] = {size, names_intern(reading->names, name)};
      row_table_add(reading->types, row, 2);
    }
    strncat(name, "::", sizeof name - strlen(name) - 1);
    if (scope)
      read_types(reading, &child, name, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void
program_types_read(struct row_table *types, struct names *names,
                   Dwarf *information)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (information != NULL &&
         dwarf_get_units(information, unit, &unit, NULL, NULL, &die, NULL) ==
             0) {
    const struct type_reading reading = {types, names, is_c(&die)};
    read_types(&reading, &die, "", 0);
  }
}
