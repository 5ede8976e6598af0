/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_index.c -- one sorted array of where all functions begin.
 *
 * Model.  The index is the entries of all modules (code_module), sorted, with
 * an entry of function 0 behind each module.  A new one is made and published
 * when a module comes or goes; the old one is freed once every thread has
 * been seen outside the hook.
 *
 * A table in front of it (call_site.h) answers what a walk asks for each
 * frame.
 *
 * Function numbers are those of two tables, function_table and kept_objects;
 * what a number means is asked of one or the other here.
 */
#include "code/code_index.h"

#include <gc/gc.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_module.h"
#include "code/code_names.h"
#include "names/function_table.h"
#include "threads/stop.h"
#include "names/kept_objects.h"
#include "names/lisp_role.h"
#include "code/module_symbols.h"

struct index {
  size_t count;
  struct code_entry entries[];
};

static struct code_module *modules;
static struct index *current;       /* published */

static int
publish(void)
{
  size_t count = 0;
  struct index *old = current, *new;
  for (const struct code_module *m = modules; m != NULL; m = m->next)
    count += m->count + 1;
  new = malloc(sizeof *new + count * sizeof(struct code_entry));
  if (new == NULL)
    return -1;
  new->count = 0;
  for (const struct code_module *m = modules; m != NULL; m = m->next) {
    memcpy(&new->entries[new->count], m->entries,
           m->count * sizeof(struct code_entry));
    new->count += m->count;
    new->entries[new->count++] =
        (struct code_entry){ .start = m->end };
  }
  qsort(new->entries, new->count, sizeof(struct code_entry),
        code_entries_compare);
  __atomic_store_n(&current, new, __ATOMIC_RELEASE);
  call_sites_forget();
  if (old != NULL) {
    stop_wait_for_hooks();
    free(old);
  }
  return 0;
}

int
code_index_update(void)
{
  struct module *list;
  bool changed = current == NULL;
  if (changed) /* no pointers: the collector need not look there */
    GC_exclude_static_roots(call_sites, call_sites + CALL_SITES);
  if (kept_objects_reserve(KEPT_OBJECTS) != 0 ||
      (list = module_list()) == NULL)
    return -1;
  for (struct code_module *m = modules; m != NULL; m = m->next)
    m->seen = false;
  for (const struct module *l = list; l != NULL; l = l->next) {
    struct code_module *m = modules;
    while (m != NULL &&
           (m->base != l->base || m->start != l->start ||
            m->tables != code_names_tables(l) ||
            strcmp(m->path, l->path) != 0))
      m = m->next;
    /* what has got more names is learned again, and the old one goes */
    if (m == NULL) {
      if ((m = code_module_new(l)) == NULL)
        break;
      m->next = modules;
      modules = m;
      changed = true;
    }
    m->seen = true;
  }
  module_list_free(list);
  for (struct code_module **p = &modules; *p != NULL;) {
    struct code_module *m = *p;
    if (m->seen) {
      p = &m->next;
    } else {
      *p = m->next;
      code_module_free(m);
      changed = true;
    }
  }
  return changed ? publish() : 0;
}

static struct code_module **
find_module(uintptr_t base)
{
  struct code_module **p = &modules;
  while (*p != NULL && (*p)->base != base)
    p = &(*p)->next;
  return p;
}

void
code_index_range(uintptr_t base, uintptr_t *start, uintptr_t *end)
{
  const struct code_module *m = *find_module(base);
  *start = m != NULL ? m->start : 0;
  *end = m != NULL ? m->end : 0;
}

void
code_index_unload(uintptr_t base)
{
  struct code_module **p = find_module(base), *m = *p;
  if (m == NULL)
    return;
  *p = m->next;
  code_module_free(m);
  publish();
}

static const struct code_entry *
find_entry(const struct index *index, uintptr_t address)
{
  return code_entries_before(index->entries, index->count, address);
}

/* A return address may be the end of its function: the call is before it. */
uint32_t
code_index_function_at(uintptr_t address)
{
  const struct code_entry *e = find_entry(
      __atomic_load_n(&current, __ATOMIC_ACQUIRE), address - 1);
  return e != NULL ? e->function : 0;
}

call_site
code_index_call_site(uintptr_t ip)
{
  const struct code_entry *e =
      find_entry(__atomic_load_n(&current, __ATOMIC_ACQUIRE), ip - 1);
  return e == NULL ? call_site_pack(ip, 0, CALL_FOREIGN)
                   : call_site_pack(ip, e->word_at, (enum call_kind)e->kind);
}

enum code_role
code_index_role(uint32_t number)
{
  const struct code_function *f;
  if (number == 0 || number >= FUNCTION_OBJECT_BASE)
    return ROLE_SHOWN;
  f = function_table_at(number);
  return f->runtime ? ROLE_RUNTIME : f->root ? ROLE_ROOT : ROLE_SHOWN;
}

enum phase_role
code_index_phase_role(uint32_t number)
{
  cl_object object;
  if (number == 0)
    return ROLE_NEUTRAL;
  if (number < FUNCTION_OBJECT_BASE)
    return function_table_at(number)->phase_role;
  object = kept_objects_at(number - FUNCTION_OBJECT_BASE);
  return object != OBJNULL ? lisp_role_of_function(object) : ROLE_NEUTRAL;
}

const struct code_function *
code_index_function(uint32_t number)
{
  static struct code_function object;
  const char *name;
  if (number == 0)
    return NULL;
  if (number < FUNCTION_OBJECT_BASE)
    return function_table_at(number);
  if (kept_objects_at(number - FUNCTION_OBJECT_BASE) == OBJNULL)
    return NULL;
  name = kept_objects_name(number - FUNCTION_OBJECT_BASE);
  object = (struct code_function){
    .name = name != NULL ? name : "(OUT-OF-MEMORY)",
    .system_name = "",
    .file_position = -1,
    .calls_known = true,
  };
  return &object;
}
