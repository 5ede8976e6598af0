/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types in functions are left out: to find them all functions would have to
 * be read.  In C a structure goes by "struct NAME", as a program has it;
 * in other languages by its name with those around it.
 */

#include "symbols/code_file.h"

#include <dwarf.h>
#include <stdio.h>

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
  Dwarf_Attribute attribute;
  Dwarf_Die type = *die;
  if (is_aggregate(die))
    return dwarf_hasattr(die, DW_AT_declaration) == 0 &&
           dwarf_aggregate_size(die, size) == 0;
  return dwarf_tag(die) == DW_TAG_typedef &&
         dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
         dwarf_formref_die(&attribute, &type) != NULL &&
         dwarf_peel_type(&type, &type) == 0 &&
         (is_aggregate(&type) || dwarf_tag(&type) == DW_TAG_array_type) &&
         dwarf_aggregate_size(&type, size) == 0;
}

static bool
is_c(Dwarf_Die *unit)
{
  switch (dwarf_srclang(unit)) {
  case DW_LANG_C:
  case DW_LANG_C89:
  case DW_LANG_C99:
  case DW_LANG_C11:
    return true;
  default:
    return false;
  }
}

/* What is read. */
struct type_reading {
  struct row_table *types;
  struct names *names;
  bool c; /* the unit in hand is in C */
};

/* Adds the types among the children of PARENT, which is called PREFIX. */
static void
read_children(const struct type_reading *reading, Dwarf_Die *parent,
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
      read_children(reading, &child, name, depth + 1);
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
    read_children(&reading, &die, "", 0);
  }
}
