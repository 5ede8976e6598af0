/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types in functions are left out: to find them all functions would have to
 * be read.  In C a structure goes by "struct NAME", as a program has it;
 * in other languages by its name with those around it.
 */

#include "symbols/code_file.h"

#include "base/array.h"

#include <dwarf.h>
#include <stdio.h>

enum { MOST_DEPTH = 64, MOST_NAME = 512 };

struct program_types
program_types_wanted(const uint64_t *sizes, size_t count)
{
  struct program_types types = {.sizes = pool_alloc(count * sizeof *sizes)};
  memcpy(types.sizes, sizes, count * sizeof *sizes);
  array_sort(types.sizes, count, sizeof *sizes, array_compare_numbers);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || types.sizes[i] != types.sizes[i - 1])
      types.sizes[types.size_count++] = types.sizes[i];
  names_init(&types.names);
  return types;
}

static bool
is_wanted(const struct program_types *types, uint64_t size)
{
  return types->every ||
         (types->size_count > 0 &&
          bsearch(&size, types->sizes, types->size_count, sizeof size,
                  array_compare_numbers) != NULL);
}

static void
add_type(struct program_types *types, uint64_t size, const char *name)
{
  uint32_t id = names_intern(&types->names, name);
  ARRAY_PUSH(types->types, types->count, types->capacity,
             (struct program_type){size, names_text(&types->names, id)});
}

bool
program_types_cover(const struct program_types *types,
                    const struct program_types *others)
{
  for (size_t i = 0; i < others->size_count; i++)
    if (!is_wanted(types, others->sizes[i]))
      return false;
  return true;
}

void
program_types_add(struct program_types *types,
                  const struct program_types *others)
{
  for (size_t i = 0; i < others->count; i++)
    if (is_wanted(types, others->types[i].size))
      add_type(types, others->types[i].size, others->types[i].name);
}

static bool
is_of_system(Dwarf_Die *die)
{
  const char *file = dwarf_decl_file(die);
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

/* Adds the types among the children of PARENT, which is called PREFIX. */
static void
read_children(struct program_types *types, Dwarf_Die *parent,
              const char *prefix, bool c, int depth)
{
  Dwarf_Die child;
  char name[MOST_NAME];
  if (depth == MOST_DEPTH || dwarf_child(parent, &child) != 0)
    return;
  do {
    bool space = dwarf_tag(&child) == DW_TAG_namespace;
    bool aggregate = is_aggregate(&child);
    bool scope = space || (aggregate && !c);
    const char *keyword = "";
    const char *own = dwarf_diename(&child);
    Dwarf_Word size;
    bool wanted = size_of_type(&child, &size) && is_wanted(types, size) &&
                  !is_of_system(&child);
    if (own == NULL && space)
      own = "(anonymous namespace)";
    if (own == NULL || (!wanted && !scope))
      continue;
    if (aggregate && c)
      keyword = dwarf_tag(&child) == DW_TAG_union_type ? "union " : "struct ";
    snprintf(name, sizeof name, "%s%s%s", prefix, keyword, own);
    if (wanted)
      add_type(types, size, name);
    strncat(name, "::", sizeof name - strlen(name) - 1);
    if (scope)
      read_children(types, &child, name, c, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void
program_types_read(struct program_types *types, Dwarf *information)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (information != NULL && (types->size_count > 0 || types->every) &&
         dwarf_get_units(information, unit, &unit, NULL, NULL, &die, NULL) ==
             0)
    read_children(types, &die, "", is_c(&die), 0);
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
