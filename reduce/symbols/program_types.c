/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types in functions are left out: to find them all functions would have to
 * be read.  In C a structure goes by "struct NAME", as a program has it;
 * in other languages by its name with those around it.
 */

#include "symbols/program_types.h"

#include "base/array.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_NAME = 512 };

static int
compare_sizes(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left;
  uint64_t b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

bool
program_types_init(struct program_types *types, uint64_t *sizes,
                   size_t size_count)
{
  memset(types, 0, sizeof *types);
  types->sizes = sizes;
  types->size_count = size_count;
  array_sort(sizes, size_count, sizeof *sizes, compare_sizes);
  return names_init(&types->names);
}

void
program_types_release(struct program_types *types)
{
  names_release(&types->names);
  free(types->sizes);
  free(types->types);
  memset(types, 0, sizeof *types);
}

static bool
is_wanted(const struct program_types *types, uint64_t size)
{
  return types->size_count > 0 &&
         bsearch(&size, types->sizes, types->size_count, sizeof size,
                 compare_sizes) != NULL;
}

static bool
add_type(struct program_types *types, uint64_t size, const char *name)
{
  struct program_type *room = array_reserve(types->types, &types->capacity,
                                            types->count + 1, sizeof *room);
  if (room == NULL)
    return false;
  types->types = room;
  uint32_t id = names_intern(&types->names, name);
  if (id == NAMES_NONE)
    return false;
  room[types->count++] =
      (struct program_type){size, names_text(&types->names, id)};
  return true;
}

static bool
is_of_system(Dwarf_Die *die)
{
  const char *file = dwarf_decl_file(die);
  return file == NULL || strncmp(file, "/usr/include/", 13) == 0 ||
         strncmp(file, "/usr/lib/", 9) == 0;
}

/* The size of what the typedef DIE stands for; false when that is neither a
 * structure nor an array. */
static bool
size_of_definition(Dwarf_Die *die, Dwarf_Word *size)
{
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == NULL ||
      dwarf_formref_die(&attribute, &type) == NULL ||
      dwarf_peel_type(&type, &type) != 0)
    return false;
  switch (dwarf_tag(&type)) {
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
  case DW_TAG_array_type:
    return dwarf_aggregate_size(&type, size) == 0;
  default:
    return false;
  }
}

static bool
size_of_aggregate(Dwarf_Die *die, Dwarf_Word *size)
{
  return dwarf_hasattr(die, DW_AT_declaration) == 0 &&
         dwarf_aggregate_size(die, size) == 0;
}

/* What stands before the name of the aggregate DIE in C. */
static const char *
keyword_of(Dwarf_Die *die)
{
  return dwarf_tag(die) == DW_TAG_union_type ? "union " : "struct ";
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

/* Adds the types among the children of PARENT, which is called PREFIX. */
static bool
read_children(struct program_types *types, Dwarf_Die *parent,
              const char *prefix, bool c, int depth)
{
  Dwarf_Die child;
  char name[MOST_NAME];
  if (depth == MOST_DEPTH || dwarf_child(parent, &child) != 0)
    return true;
  do {
    int tag = dwarf_tag(&child);
    bool aggregate = tag == DW_TAG_structure_type ||
                     tag == DW_TAG_class_type || tag == DW_TAG_union_type;
    bool scope = tag == DW_TAG_namespace || (aggregate && !c);
    const char *own = dwarf_diename(&child);
    Dwarf_Word size;
    if (!aggregate && !scope && tag != DW_TAG_typedef)
      continue;
    if (own == NULL && tag != DW_TAG_namespace)
      continue;
    snprintf(name, sizeof name, "%s%s%s", prefix,
             aggregate && c ? keyword_of(&child) : "",
             own == NULL ? "(anonymous namespace)" : own);
    if ((aggregate
             ? size_of_aggregate(&child, &size)
             : tag == DW_TAG_typedef && size_of_definition(&child, &size)) &&
        is_wanted(types, size) && !is_of_system(&child) &&
        !add_type(types, size, name))
      return false;
    if (!scope)
      continue;
    size_t length = strlen(name);
    snprintf(name + length, sizeof name - length, "::");
    if (!read_children(types, &child, name, c, depth + 1))
      return false;
  } while (dwarf_siblingof(&child, &child) == 0);
  return true;
}

bool
program_types_read(struct program_types *types, Dwarf *information)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (information != NULL && types->size_count > 0 &&
         dwarf_get_units(information, unit, &unit, NULL, NULL, &die, NULL) ==
             0)
    if (!read_children(types, &die, "", is_c(&die), 0))
      return false;
  return true;
}

static int
compare_types(const void *left, const void *right)
{
  const struct program_type *a = left;
  const struct program_type *b = right;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return strcmp(a->name, b->name);
}

void
program_types_sort(struct program_types *types)
{
  size_t kept = 0;
  array_sort(types->types, types->count, sizeof *types->types, compare_types);
  for (size_t i = 0; i < types->count; i++)
    if (kept == 0 ||
        compare_types(&types->types[kept - 1], &types->types[i]) != 0)
      types->types[kept++] = types->types[i];
  types->count = kept;
}
