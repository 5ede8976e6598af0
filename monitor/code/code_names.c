/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_names.c -- the Lisp names of the functions in a shared object.
 *
 * Model.  The patched compiler puts a table of names into each compiled file,
 * and the runtime lists the tables of all files that are loaded; core
 * functions are found through the function objects of their symbols.  A Lisp
 * name replaces that of the C function that begins at the same address, which
 * becomes the system name.
 *
 * Not done here: names of byte-compiled functions (kept_objects).
 */
#include "code/code_names.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <ecl/ecl.h>

#include "names/clos_dispatch.h"
#include "names/function_table.h"
#include "names/lisp_name.h"

static char **other_flags;          /* see code_index_other_flags */
static size_t other_flags_count;

/* Give the function that begins at `address' its Lisp name. */
static bool
name_entry(struct code_module *m, uintptr_t address, const char *name,
           const char *file, int file_position)
{
  struct code_entry *e = code_entries_at(m, address);
  const char *system_name = "";
  uint32_t f;
  if (e != NULL && e->function != 0)
    system_name = function_table_at(e->function)->system_name;
  f = function_table_intern(name, system_name, file, file_position,
                            is_clos_dispatch(name));
  if (f == 0)
    return false;
  function_table_at(f)->passes_on = is_clos_dispatch(name);
  if (e != NULL) {
    e->function = f;
    return true;
  }
  if (!code_entries_add(m, address, f))
    return false;
  qsort(m->entries, m->count, sizeof *m->entries, code_entries_compare);
  return true;
}

/* Whether a table of names is of the module with these addresses.  The last
 * entry of a table is the function that loads the file, see below; when it is
 * the only one, the table itself says. */
static bool
names_lie_in(const struct ecl_function_names *t, uintptr_t base,
             uintptr_t start, uintptr_t end)
{
  Dl_info owner;
  if (t->names[0].entry != NULL && t->names[1].entry == NULL)
    return dladdr((const void *)t->names, &owner) != 0 &&
           (uintptr_t)owner.dli_fbase == base;
  return (uintptr_t)t->names[0].entry >= start &&
         (uintptr_t)t->names[0].entry < end;
}

/* The function that compiled code means by an address in another module.  All
 * compiled files call the function that loads them init_fas_CODE, and the
 * dynamic linker takes the first of that name for all of them.  Gives back 0
 * when there is no such function. */
static uintptr_t
own_definition(const struct code_module *m, uintptr_t address)
{
  Dl_info other;
  if (address >= m->start && address < m->end)
    return address;
  if (dladdr((const void *)address, &other) == 0 || other.dli_sname == NULL)
    return 0;
  for (size_t i = 0; i < m->count; i++)
    if (m->entries[i].function != 0 &&
        strcmp(function_table_at(m->entries[i].function)->system_name,
               other.dli_sname) == 0)
      return m->entries[i].start;
  return 0;
}

void
code_names_compiled(struct code_module *m)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  for (; t != NULL; t = t->next) {
    if (!names_lie_in(t, m->base, m->start, m->end))
      continue;
    for (const struct ecl_function_name *n = t->names; n->entry != NULL;
         n++) {
      uintptr_t entry = own_definition(m, (uintptr_t)n->entry);
      if (entry != 0)
        name_entry(m, entry, n->name, t->file, n->file_position);
    }
  }
}

void
code_names_core(struct code_module *m)
{
  for (cl_index i = 0; i < cl_num_symbols_in_core; i++) {
    cl_object symbol = (cl_object)(cl_symbols + i);
    cl_object f = i == 0 ? OBJNULL : ECL_SYM_FUN(symbol);
    uintptr_t entry;
    char *name;
    if (f == OBJNULL || Null(f))
      continue;
    if (ecl_t_of(f) == t_cfunfixed)
      entry = (uintptr_t)f->cfunfixed.entry_fixed;
    else if (ecl_t_of(f) == t_cfun)
      entry = (uintptr_t)f->cfun.entry;
    else
      continue;
    /* FUNCALL, MAPCAR and the interpreter call through it: under its Lisp
     * name
       it would stand between all these and what they call */
    if (entry == (uintptr_t)ecl_apply_from_stack_frame)
      continue;
    if (entry < m->start || entry >= m->end ||
        code_entries_at(m, entry) == NULL ||
        !function_table_at(code_entries_at(m, entry)->function)->runtime)
      continue; /* elsewhere, or it has its Lisp name */
    name = lisp_name_of_function(symbol);
    if (name != NULL)
      name_entry(m, entry, name, NULL, -1);
    free(name);
  }
}

size_t
code_names_tables(const struct module *module)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  size_t count = 0;
  for (; t != NULL; t = t->next)
    count += names_lie_in(t, module->base, module->start, module->end);
  return count;
}

void
code_names_note_flags(const struct code_module *m, const char *name)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  size_t all = 0, without = 0;
  char *copy, **longer;
  for (; t != NULL; t = t->next) {
    if (!names_lie_in(t, m->base, m->start, m->end))
      continue;
    for (const struct ecl_function_name *n = t->names; n->entry != NULL;
         n++) {
      const struct code_entry *e = code_entries_at(m, (uintptr_t)n->entry);
      all++;
      without += e != NULL && e->kind == CALL_FOREIGN;
    }
  }
  if (without * 2 <= all)
    return;
  for (size_t i = 0; i < other_flags_count; i++)
    if (strcmp(other_flags[i], name) == 0)
      return;
  copy = strdup(name);
  longer = realloc(other_flags, (other_flags_count + 1) * sizeof *longer);
  if (longer != NULL)
    other_flags = longer;
  if (copy != NULL && longer != NULL)
    other_flags[other_flags_count++] = copy;
  else
    free(copy);
}

const char *
code_index_other_flags(size_t i)
{
  return i < other_flags_count ? other_flags[i] : NULL;
}
